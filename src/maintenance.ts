import { lte } from 'drizzle-orm'
import { throttleCounters } from '../schema/tables.ts'
import { pruneEvents } from './audit/events.ts'
import type { Deps } from './deps.ts'
import { rebuildCopy } from './settings/store.ts'
import { pruneSessions } from './tokens/sessions.ts'

const EVENT_MILLISECONDS = 90 * 24 * 60 * 60 * 1000

/**
 * Once a day: forgets what has run out, and mends the KV copy of the settings should it have gone
 * astray.
 */
export async function runMaintenance(deps: Deps): Promise<void> {
  const { db } = deps
  const now = deps.now()
  await db.batch([
    pruneSessions(db, now),
    pruneEvents(db, now - EVENT_MILLISECONDS),
    db.delete(throttleCounters).where(lte(throttleCounters.expiresAt, now)),
  ])
  await rebuildCopy(deps)
}
