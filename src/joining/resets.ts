import { and, eq, sql } from 'drizzle-orm'
import { users } from '../../schema/tables.ts'
import type { ActorDeps } from '../access/act-as.ts'
import { allSessions, type EndingDeps, endSessions } from '../access/endings.ts'
import type { FreshnessDeps } from '../access/freshness.ts'
import { actAsOperatorAt, eventBy, isFreshOperator, type Operator } from '../access/operators.ts'
import { isEnabledAt } from '../accounts/conditions.ts'
import { GUEST } from '../accounts/roles.ts'
import { selectUser } from '../accounts/store.ts'
import { type AuditEvent, insertEvent, logEvent } from '../audit/events.ts'
import type { Client } from '../base/network.ts'
import { Refusal } from '../base/refusals.ts'
import { hashName } from '../crypto/key-ring.ts'
import { asAuthority, runBatch, writing } from '../database/statements.ts'
import type { Deps } from '../deps.ts'
import { hasMail } from '../mail/available.ts'
import { queueMail } from '../mail/outbox.ts'
import type { MailLanguage } from '../mail/texts.ts'
import {
  checkPasswordLength,
  refuseCommonPassword,
  selectCommonPassword,
} from '../passwords/password-rules.ts'
import { hashPassword, staticDigest } from '../passwords/passwords.ts'
import { clearAccountCounters, clearPairs } from '../throttle/throttle.ts'
import { clearSeed, deleteRecoveryCodes } from '../two-factor/store.ts'
import { selectContact } from './address-store.ts'
import { creatorOf, type MadeLink } from './invitations.ts'
import { insertLink, isUsedBy, selectLive, spendLink } from './link-store.ts'
import { endOfLink, linkAddress, linkUse, newSecret } from './links.ts'
import { type MailDeps, prepareMail } from './mails.ts'

/** What an operator wants of a link for a new password. */
interface ResetLinkRequest {
  userId: number
  /** Whether it also takes off two-step verification. */
  secondFactor: boolean
  /** Unix time, milliseconds. */
  endsAt: number | undefined
}

/**
 * Makes a link with which a user sets a new password. The user and all operators are told, because
 * an operator could use it to take an account over.
 *
 * @throws {Refusal} `notAdmin`, `confirmationNeeded`, `userNotFound`, `guestHasNoPassword`,
 *   `accountGone`, `invalidBody`.
 */
export async function createResetLink(
  deps: ActorDeps & FreshnessDeps & MailDeps,
  operator: Operator,
  { userId, secondFactor, endsAt: wanted }: ResetLinkRequest,
  { site, language }: { site: string; language: MailLanguage },
): Promise<MadeLink> {
  const { db } = deps
  const now = deps.now()
  const endsAt = endOfLink('reset', wanted, now)
  const { found, contact, isFresh } = await actAsOperatorAt(deps, operator, now, {
    found: selectUser(db, userId),
    contact: selectContact(db, userId),
  })
  const [user] = found
  if (!isFresh) throw new Refusal('confirmationNeeded')
  if (user === undefined) throw new Refusal('userNotFound')
  if (user.role === GUEST) throw new Refusal('guestHasNoPassword')
  if (!isEnabledAt(user, now)) throw new Refusal('accountGone')
  const { secret, tokenHash } = await newSecret(deps)
  const by = isFreshOperator(deps, operator, now)
  const event = eventBy(operator, userId, 'reset_link_made', now)
  const [known] = contact
  const told = known?.emailVerified === true && hasMail(deps) ? known.email : undefined
  const mail =
    told === undefined
      ? undefined
      : await prepareMail(deps, {
          to: told,
          kind: 'resetLinkMade',
          language,
          user: user.username,
        })
  const { inserted } = await actAsOperatorAt(deps, operator, now, {
    event: insertEvent(db, by, event),
    mail: mail && queueMail(deps, by, mail, now),
    inserted: insertLink(db, by, {
      kind: 'reset',
      tokenHash,
      createdBy: creatorOf(operator),
      userId,
      secondFactor,
      passwordChangedAt: user.passwordChangedAt,
      createdAt: now,
      endsAt,
    }),
  })
  const [made] = inserted
  if (made === undefined) throw new Refusal('confirmationNeeded')
  logEvent(event)
  return { id: made.id, link: linkAddress(site, secret), endsAt }
}

type ResetDeps = MailDeps & EndingDeps & Pick<Deps, 'hashPassword'>

/**
 * Sets a new password with a link, and ends what a thief of the old one may have: all sessions, and
 * what programs got. Nobody is signed in: two-step verification stays, unless an operator said
 * otherwise.
 *
 * @throws {Refusal} `linkInvalid`, `invalidBody`.
 */
export async function resetPassword(
  deps: ResetDeps,
  { link: secret, password }: { link: string; password: string },
  language: MailLanguage,
  client: Client,
): Promise<void> {
  const { db } = deps
  const use = await linkUse(deps, 'reset', secret)
  checkPasswordLength(password)
  const { live, common } = await runBatch(db, {
    live: selectLive(db, use.tokenHash, deps.now()),
    common: selectCommonPassword(db, password),
  })
  const [link] = live
  if (link?.kind !== 'reset' || link.userId === null) throw new Refusal('linkInvalid')
  refuseCommonPassword(common)
  const { userId } = link
  const passwordHash = await hashPassword(deps, await staticDigest(password))
  const nameHash = await hashName(await deps.keyRing(), link.ownerName)
  const { contact } = await runBatch(db, { contact: selectContact(db, userId) })
  const [known] = contact
  const told = known?.emailVerified === true && hasMail(deps) ? known.email : undefined
  const mail =
    told === undefined
      ? undefined
      : await prepareMail(deps, { to: told, kind: 'passwordSet', language, user: link.ownerName })
  const now = deps.now()
  const by = isUsedBy(db, use)
  const event: AuditEvent = { ...client, at: now, kind: 'password_reset_by_link', userId }
  const off: AuditEvent = { ...event, kind: 'two_factor_cancelled' }
  const withFactor = asAuthority(sql`(${by} and ${Number(link.secondFactor)} = 1)`)
  const { spent } = await runBatch(db, {
    spent: spendLink(db, use, now),
    // The new time of the password makes every other such link of the account useless.
    updated: writing(db, by).update(
      users,
      { passwordHash, passwordChangedAt: now },
      and(eq(users.id, userId)),
    ),
    event: insertEvent(db, by, event),
    offEvent: link.secondFactor ? insertEvent(db, by, off) : undefined,
    seed: clearSeed(db, withFactor, userId),
    codes: deleteRecoveryCodes(db, withFactor, userId),
    counters: clearAccountCounters(db, by, userId, nameHash),
    pairs: clearPairs(db, by, nameHash),
    mail: mail && queueMail(deps, by, mail, now),
    ...endSessions(deps, by, allSessions(userId)),
  })
  if (spent.length === 0) throw new Refusal('linkInvalid')
  logEvent(event)
  if (link.secondFactor) logEvent(off)
}
