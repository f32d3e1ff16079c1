import { and, eq, exists, ne, type SQL, sql } from 'drizzle-orm'
import { users } from '../../../schema/tables.ts'
import { isNotGuest } from '../../core/accounts/conditions.ts'
import type { AuditEvent } from '../../core/audit/events.ts'
import type { Language } from '../../core/base/language.ts'
import { type Authority, writing } from '../../core/database/statements.ts'
import type { Database } from '../../core/deps.ts'
import { GIVE_UP_MILLISECONDS, insertMail } from '../mail/outbox.ts'

/** Holds while the user has another address than this one. */
export function hasOtherEmail(db: Database, userId: number, email: string): SQL {
  const own = db.select({ id: users.id }).from(users)
  return exists(own.where(and(eq(users.id, userId), ne(users.email, email))))
}

/**
 * Replaces the address of a user; a new one is not verified. The guest gets none.
 *
 * @param email Empty for none.
 */
export function updateEmail(db: Database, by: Authority, userId: number, email: string) {
  return writing(db, by)
    .update(
      users,
      { email, emailVerified: false },
      and(eq(users.id, userId), ne(users.email, email), email === '' ? undefined : isNotGuest),
    )
    .returning({ id: users.id })
}

/**
 * Tells the verified address of a user something about the account, in a mail without a link.
 *
 * @param event What happened to the account.
 * @param when A further condition.
 */
export function mailToUser(
  db: Database,
  by: Authority,
  userId: number,
  kind: 'password_reset' | 'reset_link_made' | 'email_changed',
  language: Language,
  event: AuditEvent,
  when?: SQL,
) {
  const mail = {
    kind,
    userId,
    linkHash: null,
    address: sql`${users.email}`,
    language,
    sealed: '',
    expiresAt: event.at + GIVE_UP_MILLISECONDS,
    event,
  } as const
  const where = and(eq(users.id, userId), eq(users.emailVerified, true), when)
  return insertMail(db, by, mail, event.at, { from: sql`${users}`, where })
}

/** Tells the verified address that a change takes away. It stands before the change. */
export function mailToOldAddress(
  db: Database,
  by: Authority,
  userId: number,
  email: string,
  language: Language,
  event: AuditEvent,
) {
  return mailToUser(db, by, userId, 'email_changed', language, event, ne(users.email, email))
}

/** Holds while this is the address of the user, and not verified. */
export function isUnverified(db: Database, userId: number, email: string): SQL {
  const own = db.select({ id: users.id }).from(users)
  const isSame = and(eq(users.email, email), eq(users.emailVerified, false))
  return exists(own.where(and(eq(users.id, userId), isSame)))
}

export function verifyEmail(db: Database, by: Authority, userId: number) {
  return writing(db, by)
    .update(users, { emailVerified: true }, eq(users.id, userId))
    .returning({ id: users.id })
}
