import { and, inArray, sql } from 'drizzle-orm'
import { auditEvents, noticeChannels, users } from '../../../schema/tables.ts'
import { isEnabled } from '../../core/accounts/conditions.ts'
import { NEAR_END_MILLISECONDS } from '../../core/accounts/near-end.ts'
import { eventRow } from '../../core/audit/events.ts'
import { literal } from '../../core/database/literal.ts'
import { THE_SERVICE, writing } from '../../core/database/statements.ts'
import type { Deps } from '../../core/deps.ts'
import { hasMailSite, type MailSiteDeps } from '../mail/mail-site.ts'
import { insertMail } from '../mail/outbox.ts'
import { isEnding } from './list-store.ts'

/** Users that a night tells of; the next one goes on. The outbox sends their mails one by one. */
const MAX_TOLD = 500

/**
 * The language of a mail to a row of `users` that nobody asks for: the one that the user chose for
 * notices.
 */
export const MAIL_LANGUAGE = sql`coalesce((
  select ${noticeChannels.language} from ${noticeChannels}
  where ${noticeChannels.userId} = ${users.id} limit 1
), ${literal('en')})`

/**
 * Returns the statements that tell of accounts whose end is near, once for each end: an event, of
 * which the channels with the topic `account_end` hear, and a mail to a verified address. They are
 * in one transaction, so that nobody is told twice, or marked as told and not told.
 *
 * @param now Unix time, milliseconds.
 */
export function nearEndParts(deps: Pick<Deps, 'db'> & MailSiteDeps, now: number) {
  const { db } = deps
  const near = db
    .select({ id: users.id })
    .from(users)
    .where(
      and(
        isEnding({ from: now, until: now + NEAR_END_MILLISECONDS }),
        sql`${users.endToldFor} is not ${users.endsAt}`,
        isEnabled(now),
      ),
    )
    .orderBy(users.endsAt)
    .limit(MAX_TOLD)
  const isNear = inArray(users.id, near)
  const event = eventRow({ at: now, kind: 'end_near', network: '', userAgent: '' })
  const row = {
    ...event,
    userId: users.id,
    detail: sql`strftime('%Y-%m-%d', ${users.endsAt} / 1000, 'unixepoch')`,
  }
  const mail = {
    kind: 'account_end',
    userId: sql`${users.id}`,
    linkHash: null,
    address: sql`${users.email}`,
    language: MAIL_LANGUAGE,
    sealed: '',
    expiresAt: sql`${users.endsAt}`,
  } as const
  const isMailed = and(isNear, sql`${users.emailVerified} = 1`)
  return {
    nearEnds: writing(db, THE_SERVICE).insert(auditEvents, row, { from: users, where: isNear }),
    nearEndMails: hasMailSite(deps)
      ? insertMail(db, THE_SERVICE, mail, now, { from: sql`${users}`, where: isMailed })
      : undefined,
    toldOfEnds: writing(db, THE_SERVICE).update(
      users,
      { endToldFor: sql`${users.endsAt}` },
      isNear,
    ),
  }
}
