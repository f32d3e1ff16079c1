import type { ActorDeps } from '../access/act-as.ts'
import type { FreshnessDeps } from '../access/freshness.ts'
import { actAsOperatorAt, eventBy, isFreshOperator, type Operator } from '../access/operators.ts'
import { isEnabledAt } from '../accounts/conditions.ts'
import { GUEST } from '../accounts/roles.ts'
import { selectUser } from '../accounts/store.ts'
import { insertEvent, logEvent } from '../audit/events.ts'
import type { Language } from '../base/language.ts'
import { Refusal } from '../base/refusals.ts'
import { linkAddress } from '../mail/message.ts'
import { mailSiteOf } from '../mail/mail-site.ts'
import { creatorOf, type MadeLink, type MailingDeps } from './invitations.ts'
import { insertLink } from './link-store.ts'
import { endOfLink, newSecret } from './links.ts'
import { mailToUser } from './reset-store.ts'

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
  const { found, isFresh } = await actAsOperatorAt(deps, operator, now, {
    found: selectUser(db, userId),
  })
  const [user] = found
  if (!isFresh) throw new Refusal('confirmationNeeded')
  if (user === undefined) throw new Refusal('userNotFound')
  if (user.role === GUEST) throw new Refusal('guestHasNoPassword')
  if (!isEnabledAt(user, now)) throw new Refusal('accountGone')
  const { secret, tokenHash } = await newSecret(deps)
  const by = isFreshOperator(deps, operator, now)
  const event = eventBy(operator, userId, 'reset_link_made', now)
  const { inserted } = await actAsOperatorAt(deps, operator, now, {
    event: insertEvent(db, by, event),
    mail:
      mailSiteOf(deps) === undefined
        ? undefined
        : mailToUser(db, by, userId, 'reset_link_made', language, now),
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
  deps.outbox.hasMails = true
  logEvent(event)
  return { id: made.id, link: linkAddress(site, secret), endsAt }
}
