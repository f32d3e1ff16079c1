import { CAPABILITIES } from './capabilities.ts'
import { pruneEvents } from './core/audit/event-times.ts'
import { type Parts, runBatch } from './core/database/statements.ts'
import { keyFolders } from './core/accounts/folder-keys.ts'
import type { Deps } from './core/deps.ts'
import { sendAllLogouts } from './capabilities/openid/back-channel.ts'
import { pruneChallenges } from './core/access/used-challenges.ts'
import { pruneCounters } from './core/throttle/charges.ts'
import { eventRetention, rebuildCopy } from './capabilities/settings/store.ts'
import { pruneAppPasswords } from './core/access/app-password-store.ts'
import { pruneSessions } from './core/access/session-store.ts'
import { DAY_MILLISECONDS } from './core/base/time.ts'

/** Until then the owner sees in the list why a program stopped working. */
const EXPIRED_APP_PASSWORD_MILLISECONDS = 30 * DAY_MILLISECONDS

/** Longer than the deadline of a request: nobody waits for this batch. */
export const NIGHTLY_DEADLINE_MILLISECONDS = 60_000

/**
 * The nightly run (docs/operating.md): deletes what has expired, namely sessions, app passwords,
 * counters, challenges, codes and tokens of programs, signing keys and logouts given up, and old
 * events; and it tells of accounts that end soon. It rebuilds the KV copy of the settings, and then
 * sends the logouts that are left.
 */
export async function runNightly(deps: Deps): Promise<void> {
  const results = await Promise.allSettled([
    prune(deps),
    rebuildCopy(deps),
    // `npm start` runs this at once: after an upgrade, nobody can choose a name before it.
    keyFolders(deps),
  ])
  // Ending expired sessions may have written more logouts.
  await sendAllLogouts(deps)
  for (const result of results) {
    // Thrown after all have ended, so that the platform shows the run as failed.
    if (result.status === 'rejected') throw result.reason
  }
}

async function prune(deps: Deps): Promise<void> {
  const { db } = deps
  const now = deps.now()
  const retentionMilliseconds = await eventRetention(db)
  const parts: Parts = {}
  for (const { nightly } of CAPABILITIES) Object.assign(parts, nightly?.(deps, now))
  await runBatch(db, {
    sessions: pruneSessions(db, now),
    events: pruneEvents(db, now - retentionMilliseconds),
    counters: pruneCounters(db, now),
    challenges: pruneChallenges(db, now),
    ...parts,
    appPasswords: pruneAppPasswords(db, now - EXPIRED_APP_PASSWORD_MILLISECONDS),
  })
}
