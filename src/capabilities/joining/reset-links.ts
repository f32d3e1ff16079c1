import { type Operator, userIdOf } from '../../core/access/operators.ts'
import { change, type ChangeDeps, of } from '../../core/access/subject.ts'
import { refuseLastFactor, takingFactors } from '../../core/accounts/last-factor.ts'
import { GUEST } from '../../core/accounts/roles.ts'
import { insertEvent } from '../../core/audit/events.ts'
import type { Language } from '../../core/base/language.ts'
import { Refusal } from '../../core/base/refusals.ts'
import { linkAddress } from '../mail/message.ts'
import { mailSiteOf } from '../mail/mail-site.ts'
import { creatorOf, type MadeLink, type MailingDeps } from './invitations.ts'
import { mailToUser } from '../users/email-store.ts'
import { isLinkMade } from './link-store.ts'
import { endOfLink, newSecret } from './links.ts'
import { insertResetLink } from './reset-store.ts'

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
 *   `accountGone`, `invalidBody`; `lastFactor` when it would take the operator's own.
 */
export async function createResetLink(
  deps: ChangeDeps & MailingDeps,
  operator: Operator,
  { userId, secondFactor, endsAt: wanted }: ResetLinkRequest,
  { site, language }: { site: string; language: Language },
): Promise<MadeLink> {
  const { db } = deps
  const now = deps.now()
  const endsAt = endOfLink('reset', wanted, now)
  const { secret, tokenHash } = await newSecret(deps)
  const createdBy = creatorOf(operator)
  const isMade = isLinkMade(db, tokenHash)
  const hasMail = mailSiteOf(deps) !== undefined
  const taken = { userId, takenBy: userIdOf(operator), app: true }
  const { account, inserted, kept } = await change(
    deps,
    of(operator, userId),
    { kind: 'reset_link_made', fresh: true },
    ({ by: mayMake, event }) => {
      const taking = secondFactor ? takingFactors(db, mayMake, taken) : undefined
      const by = taking?.by ?? mayMake
      return {
        kept: taking?.kept,
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
          ? mailToUser(db, by, userId, 'reset_link_made', language, event, isMade)
          : undefined,
      }
    },
  )
  refuseLastFactor({ kept })
  const [made] = inserted
  if (made === undefined)
    throw new Refusal(account.role === GUEST ? 'guestHasNoPassword' : 'accountGone')
  return { id: made.id, link: linkAddress(site, secret), endsAt }
}
