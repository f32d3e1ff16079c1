import { pruneEvents } from './audit/events.ts'
import type { Deps } from './deps.ts'
import { pruneCounters } from './throttle/throttle.ts'
import { rebuildCopy } from './settings/store.ts'
import { pruneSessions } from './access/session-store.ts'

export const EVENT_MILLISECONDS = 90 * 24 * 60 * 60 * 1000

/** A batch of deletions may take longer than a person would wait. */
export const MAINTENANCE_DEADLINE_MILLISECONDS = 60_000

/**
 * Once a day: forgets what has run out, and mends the KV copy of the settings should it have gone
 * astray.
 */
export async function runMaintenance(deps: Deps): Promise<void> {
  const { db } = deps
  const now = deps.now()
  const results = await Promise.allSettled([
    db.batch([
      pruneSessions(db, now),
      pruneEvents(db, now - EVENT_MILLISECONDS),
      pruneCounters(db, now),
    ]),
    rebuildCopy(deps),
  ])
  for (const result of results) {
    // One that fails must not keep the other from running, nor the platform from knowing.
    if (result.status === 'rejected') throw result.reason
  }
}
