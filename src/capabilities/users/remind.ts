import { and, eq, not, notExists, type SQL, sql } from 'drizzle-orm'
import { auditEvents, users } from '../../../schema/tables.ts'
import type { Operator } from '../../core/access/operators.ts'
import { change, type ChangeDeps, of } from '../../core/access/subject.ts'
import { isEnabled, isNotGuest } from '../../core/accounts/conditions.ts'
import { isEnabledAt } from '../../core/accounts/enabled-at.ts'
import { GUEST } from '../../core/accounts/roles.ts'
import { hasSecondFactor } from '../../core/accounts/second-factor.ts'
import { insertEvents } from '../../core/audit/events.ts'
import { isSince } from '../../core/audit/event-times.ts'
import { isRare } from '../../core/audit/kinds.ts'
import { Refusal } from '../../core/base/refusals.ts'
import { DAY_MILLISECONDS } from '../../core/base/time.ts'
import { literal } from '../../core/database/literal.ts'
import type { Database } from '../../core/deps.ts'
import { hasMailSite, type MailSiteDeps } from '../mail/mail-site.ts'
import { GIVE_UP_MILLISECONDS, insertMail } from '../mail/outbox.ts'
import { MAIL_LANGUAGE } from './near-ends.ts'

/** A user is reminded once in this time. */
const REMINDER_MILLISECONDS = 7 * DAY_MILLISECONDS

/**
 * Asks a user to set up a second factor: an event, which the user sees, and a mail to a verified
 * address. They are in one transaction.
 *
 * @throws {Refusal} `notAdmin`, `confirmationNeeded`, `userNotFound`, `twoFactorAlreadyOn` for a
 *   user who has one, `guestTwoFactor`, `accountGone`, `remindedLately`.
 */
export async function remindOfFactor(
  deps: ChangeDeps & MailSiteDeps,
  operator: Operator,
  userId: number,
): Promise<void> {
  const { db } = deps
  const demand = { kind: 'factor_reminded', fresh: true } as const
  const { account, events } = await change(deps, of(operator, userId), demand, (given) => {
    const { now, by, event } = given
    const where = and(
      eq(users.id, userId),
      isNotGuest,
      not(hasSecondFactor),
      isEnabled(now),
      isNotReminded(db, userId, now),
    )
    const mail = {
      kind: 'factor_reminder',
      userId,
      linkHash: null,
      address: sql`${users.email}`,
      language: MAIL_LANGUAGE,
      sealed: '',
      expiresAt: now + GIVE_UP_MILLISECONDS,
    } as const
    const isMailed = and(where, sql`${users.emailVerified} = 1`)
    return {
      // Stands before the event, after which the user counts as reminded.
      mail: hasMailSite(deps)
        ? insertMail(db, by, mail, now, { from: sql`${users}`, where: isMailed })
        : undefined,
      events: insertEvents(db, by, event, {}, { from: users, where }),
    }
  })
  if (events.length > 0) return
  if (account.role === GUEST) throw new Refusal('guestTwoFactor')
  if (account.hasTwoFactor || account.hasPasskey) throw new Refusal('twoFactorAlreadyOn')
  throw new Refusal(isEnabledAt(account, deps.now()) ? 'remindedLately' : 'accountGone')
}

function isNotReminded(db: Database, userId: number, now: number): SQL {
  const reminders = db
    .select({ id: auditEvents.id })
    .from(auditEvents)
    .where(
      and(
        sql`${auditEvents.kind} = ${literal('factor_reminded')}`,
        isRare(sql`${auditEvents.kind}`),
        isSince(now - REMINDER_MILLISECONDS),
        eq(auditEvents.userId, userId),
      ),
    )
  return notExists(reminders)
}
