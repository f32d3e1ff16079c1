import { and, eq, sql } from 'drizzle-orm'
import { users } from '../../schema/tables.ts'
import type { Language } from '../base/language.ts'
import { type Authority, writing } from '../database/statements.ts'
import type { Database } from '../deps.ts'
import { GIVE_UP_MILLISECONDS, insertMail } from '../mail/outbox.ts'

/** Replaces a password. Every other link for a new one then rests on a password that is gone. */
export function replacePassword(
  db: Database,
  by: Authority,
  userId: number,
  passwordHash: string,
  now: number,
) {
  // Two links of one millisecond must not rest on the same time.
  const passwordChangedAt = sql`max(${now}, ${users.passwordChangedAt} + 1)`
  return writing(db, by)
    .update(users, { passwordHash, passwordChangedAt }, eq(users.id, userId))
    .returning({ id: users.id })
}

/** Tells the verified address of a user something about the account, in a mail without a link. */
export function mailToUser(
  db: Database,
  by: Authority,
  userId: number,
  kind: 'password_reset' | 'reset_link_made',
  language: Language,
  now: number,
) {
  const mail = {
    kind,
    userId,
    linkHash: null,
    address: sql`${users.email}`,
    language,
    sealed: '',
    expiresAt: now + GIVE_UP_MILLISECONDS,
  } as const
  const where = and(eq(users.id, userId), eq(users.emailVerified, true))
  return insertMail(db, by, mail, now, { from: sql`${users}`, where })
}
