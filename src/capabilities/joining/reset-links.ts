import type { ActorDeps } from '../../core/access/act-as.ts'
import type { FreshnessDeps } from '../../core/access/freshness.ts'
import {
  actAsOperatorAt,
  eventBy,
  isFreshOperator,
  type Operator,
} from '../../core/access/operators.ts'
import type { Account } from '../../core/accounts/accounts.ts'
import { GUEST } from '../../core/accounts/roles.ts'
import { selectUser } from '../../core/accounts/store.ts'
import { insertEvent, logEvent } from '../../core/audit/events.ts'
import type { Language } from '../../core/base/language.ts'
import { Refusal } from '../../core/base/refusals.ts'
import { linkAddress } from '../mail/message.ts'
import { mailSiteOf } from '../mail/mail-site.ts'
import { creatorOf, type MadeLink, type MailingDeps } from './invitations.ts'
import { mailToUser } from './email-store.ts'
import { isLinkMade } from './link-store.ts'
import { endOfLink, newSecret } from './links.ts'
import { insertResetLink } from './reset-store.ts'

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
  deps: ActorDeps & FreshnessDeps & MailingDeps,
  operator: Operator,
  { userId, secondFactor, endsAt: wanted }: ResetLinkRequest,
  { site, language }: { site: string; language: Language },
): Promise<MadeLink> {
  const { db } = deps
  const now = deps.now()
  const endsAt = endOfLink('reset', wanted, now)
  const { secret, tokenHash } = await newSecret(deps)
  const by = isFreshOperator(deps, operator, now)
  const event = eventBy(operator, userId, 'reset_link_made', now)
  const createdBy = creatorOf(operator)
  const isMade = isLinkMade(db, tokenHash)
  const hasMail = mailSiteOf(deps) !== undefined
  const { isFresh, found, inserted } = await actAsOperatorAt(deps, operator, now, {
    found: selectUser(db, userId),
    inserted: insertResetLink(db, by, {
      tokenHash,
      createdBy,
      userId,
      secondFactor,
      createdAt: now,
      endsAt,
    }),
    event: insertEvent(db, by, event, isMade),
    mail: hasMail
      ? mailToUser(db, by, userId, 'reset_link_made', language, now, isMade)
      : undefined,
  })
  const [made] = inserted
  if (made === undefined) throw reasonAgainst(found[0], isFresh)
  logEvent(event)
  return { id: made.id, link: linkAddress(site, secret), endsAt }
}

function reasonAgainst(user: Account | undefined, isFresh: boolean): Refusal {
  if (!isFresh) return new Refusal('confirmationNeeded')
  if (user === undefined) return new Refusal('userNotFound')
  return new Refusal(user.role === GUEST ? 'guestHasNoPassword' : 'accountGone')
}
