import { pruneEvents } from './core/audit/event-times.ts'
import { runBatch } from './core/database/statements.ts'
import { keyFolders } from './core/accounts/folder-keys.ts'
import type { Deps } from './core/deps.ts'
import type { MailSiteDeps } from './capabilities/mail/mail-site.ts'
import { MAX_LOGOUT_ATTEMPTS, sendAllLogouts } from './capabilities/openid/back-channel.ts'
import { pruneGrants, pruneLogouts } from './capabilities/openid/grant-store.ts'
import { pruneKeys } from './capabilities/openid/keys.ts'
import { pruneChallenges } from './core/access/used-challenges.ts'
import { pruneCounters } from './core/throttle/charges.ts'
import { eventRetention, rebuildCopy } from './capabilities/settings/store.ts'
import { pruneAppPasswords } from './core/access/app-password-store.ts'
import { pruneLeases } from './capabilities/files/lease.ts'
import { pruneGone } from './capabilities/files/store.ts'
import { pruneLinks } from './capabilities/joining/link-store.ts'
import { nearEndParts } from './capabilities/joining/near-ends.ts'
import { pruneSessions } from './core/access/session-store.ts'
import { DAY_MILLISECONDS } from './core/base/time.ts'

/** Until then the owner sees in the list why a program stopped working. */
const EXPIRED_APP_PASSWORD_MILLISECONDS = 30 * DAY_MILLISECONDS

/** No older backup of the file server is put back. */
const GONE_FILE_USER_MILLISECONDS = 365 * DAY_MILLISECONDS

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

async function prune(deps: Pick<Deps, 'db' | 'now'> & MailSiteDeps): Promise<void> {
  const { db } = deps
  const now = deps.now()
  const retentionMilliseconds = await eventRetention(db)
  await runBatch(db, {
    sessions: pruneSessions(db, now),
    events: pruneEvents(db, now - retentionMilliseconds),
    counters: pruneCounters(db, now),
    challenges: pruneChallenges(db, now),
    grants: pruneGrants(db, now),
    logouts: pruneLogouts(db, MAX_LOGOUT_ATTEMPTS),
    keys: pruneKeys(db, now),
    links: pruneLinks(db, now),
    leases: pruneLeases(db, now),
    fileUsers: pruneGone(db, now - GONE_FILE_USER_MILLISECONDS),
    ...nearEndParts(deps, now),
    appPasswords: pruneAppPasswords(db, now - EXPIRED_APP_PASSWORD_MILLISECONDS),
  })
}
