import { loadParts, startParts } from './run-parts.ts'
import { pruneEvents } from '../core/audit/event-times.ts'
import { inOneBatch } from '../core/database/shared-batch.ts'
import { runBatch } from '../core/database/statements.ts'
import { keyFolders } from '../core/accounts/folder-keys.ts'
import { keyGroups } from '../core/accounts/group-keys.ts'
import type { Deps } from '../core/deps.ts'
import { pruneChallenges } from '../core/access/used-challenges.ts'
import { pruneCounters } from '../core/throttle/charges.ts'
import { eventRetention } from '../capabilities/settings/store.ts'
import { pruneSessions } from '../core/access/session-store.ts'

/**
 * The nightly run (docs/operating.md): deletes what has expired, namely sessions, counters,
 * challenges, old events and what the capabilities name, all in one batch; then they do the rest,
 * such as sending what is left. One that fails keeps no other one from its part.
 */
export async function runNightly(deps: Deps): Promise<void> {
  const { db } = deps
  const now = deps.now()
  const retentionMilliseconds = await eventRetention(db)
  const loaded = await loadParts('nightly')
  // It rejects after all have ended, so that the platform shows the run as failed.
  await inOneBatch(
    (statements) => runBatch(db, statements),
    (batch) => [
      batch.add({
        sessions: pruneSessions(db, now),
        events: pruneEvents(db, now - retentionMilliseconds),
        counters: pruneCounters(db, now),
        challenges: pruneChallenges(db, now),
      }),
      // `npm start` runs this at once: after an upgrade, nobody can choose a name before it.
      keyFolders(deps),
      keyGroups(deps),
      ...startParts(loaded, { deps, now, batch }),
    ],
  )
}
