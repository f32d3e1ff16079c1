import { allSessions, endSessions } from '../../core/access/endings.ts'
import { type AuditEvent, insertEvent } from '../../core/audit/events.ts'
import { logEvent } from '../../core/audit/audit-event.ts'
import type { Language } from '../../core/base/language.ts'
import type { Client } from '../../core/base/network.ts'
import { Refusal } from '../../core/base/refusals.ts'
import { hashName } from '../../core/crypto/key-ring.ts'
import { runBatch } from '../../core/database/statements.ts'
import type { Deps } from '../../core/deps.ts'
import {
  checkPasswordLength,
  refuseCommonPassword,
  selectCommonPassword,
} from '../../core/passwords/password-rules.ts'
import { hashPassword, staticDigest } from '../../core/passwords/passwords.ts'
import { takingFactors } from '../../core/accounts/last-factor.ts'
import { clearAccountCounters, clearPairs } from '../../core/throttle/charges.ts'
import { clearSeed, deleteRecoveryCodes } from '../two-factor/store.ts'
import { mailToUser } from '../users/email-store.ts'
import { isUsedBy, selectLive, spendLink } from './link-store.ts'
import { linkUse } from './links.ts'
import { replacePassword } from './reset-store.ts'

type ResetDeps = Pick<Deps, 'db' | 'now' | 'randomBytes' | 'keyRing' | 'hashPassword'>

/**
 * Replaces the password of an account with a link. Every session ends, and everything that programs
 * got; the failures of the account are forgotten; two-step verification stays, unless an operator
 * made the link to take it off. Nobody is signed in by it.
 *
 * @param secret 43 characters.
 * @throws {Refusal} `linkInvalid`, and `invalidBody` for a poor password, which leaves the link
 *   unused.
 */
export async function resetPassword(
  deps: ResetDeps,
  secret: string,
  password: string,
  from: Client,
  language: Language,
): Promise<void> {
  const { db } = deps
  const ring = await deps.keyRing()
  const use = await linkUse(deps, 'reset', secret)
  // First, because a hash is expensive, and a link for nobody must not cost one.
  const { found, common } = await runBatch(db, {
    found: selectLive(db, use.tokenHash, deps.now()),
    common: selectCommonPassword(db, password),
  })
  const [link] = found
  if (link === undefined || link.kind !== 'reset' || link.userId === null)
    throw new Refusal('linkInvalid')
  checkPasswordLength(password)
  refuseCommonPassword(common)
  const passwordHash = await hashPassword(deps, await staticDigest(password))
  const nameHash = await hashName(ring, link.ownerName)
  const { userId, secondFactor } = link
  const now = deps.now()
  const by = isUsedBy(db, use)
  const event: AuditEvent = { ...from, at: now, kind: 'password_reset_by_link', userId }
  const off: AuditEvent = { ...event, kind: 'two_factor_cancelled' }
  // An operator may have made it for the own account, before the site demanded a second factor.
  const taken = { userId, takenBy: link.createdBy, app: true }
  const { by: mayTake } = takingFactors(db, by, taken)
  const { spent, seed } = await runBatch(db, {
    spent: spendLink(db, use, now),
    event: insertEvent(db, by, event),
    offEvent: secondFactor ? insertEvent(db, mayTake, off) : undefined,
    replaced: replacePassword(db, by, userId, passwordHash, now),
    codes: secondFactor ? deleteRecoveryCodes(db, mayTake, userId) : undefined,
    seed: secondFactor ? clearSeed(db, mayTake, userId) : undefined,
    counters: clearAccountCounters(db, by, userId, nameHash),
    pairs: clearPairs(db, by, nameHash),
    mail: mailToUser(db, by, userId, 'password_reset', language, event),
    ...endSessions(db, by, allSessions(userId)),
  })
  if (spent.length === 0) throw new Refusal('linkInvalid')
  logEvent(event)
  if (seed?.length) logEvent(off)
}
