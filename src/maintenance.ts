import { pruneEvents } from './audit/events.ts'
import { runBatch } from './database/statements.ts'
import type { Deps } from './deps.ts'
import { pruneCounters } from './throttle/throttle.ts'
import { rebuildCopy } from './settings/store.ts'
import { pruneSessions } from './access/session-store.ts'

export const EVENT_MILLISECONDS = 90 * 24 * 60 * 60 * 1000

/** Longer than the deadline of a request, because nobody waits for these deletions. */
export const MAINTENANCE_DEADLINE_MILLISECONDS = 60_000

/**
 * The nightly run: deletes expired sessions, old events and ended counters, and rebuilds the copy
 * of the settings in KV, in case it differs from D1.
 */
export async function runMaintenance(deps: Deps): Promise<void> {
  const { db } = deps
  const now = deps.now()
  const results = await Promise.allSettled([
    runBatch(db, {
      sessions: pruneSessions(db, now),
      events: pruneEvents(db, now - EVENT_MILLISECONDS),
      counters: pruneCounters(db, now),
    }),
    rebuildCopy(deps),
  ])
  for (const result of results) {
    // A failure of one doesn't stop the other, and the platform still learns of it.
    if (result.status === 'rejected') throw result.reason
  }
}
