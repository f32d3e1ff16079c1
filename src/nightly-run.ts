import { pruneEvents } from './audit/events.ts'
import { runBatch } from './database/statements.ts'
import type { Deps } from './deps.ts'
import { pruneCounters } from './throttle/throttle.ts'
import { rebuildCopy } from './settings/store.ts'
import { pruneSessions } from './access/session-store.ts'

/** Events older than this are deleted. */
export const EVENT_RETENTION_MILLISECONDS = 90 * 24 * 60 * 60 * 1000

/** Longer than the deadline of a request: nobody waits for this batch. */
export const NIGHTLY_DEADLINE_MILLISECONDS = 60_000

/**
 * The nightly run (docs/operating.md): deletes expired sessions, old events and expired counters,
 * and rebuilds the KV copy of the settings.
 */
export async function runNightly(deps: Deps): Promise<void> {
  const { db } = deps
  const now = deps.now()
  const results = await Promise.allSettled([
    runBatch(db, {
      sessions: pruneSessions(db, now),
      events: pruneEvents(db, now - EVENT_RETENTION_MILLISECONDS),
      counters: pruneCounters(db, now),
    }),
    rebuildCopy(deps),
  ])
  for (const result of results) {
    // Thrown after both have ended, so that the platform shows the run as failed.
    if (result.status === 'rejected') throw result.reason
  }
}
