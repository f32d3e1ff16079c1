import { and, eq, type SQL, sql } from 'drizzle-orm'
import { links, users } from '../../schema/tables.ts'
import { isEnabled, isNotGuest } from '../accounts/conditions.ts'
import type { Language } from '../base/language.ts'
import { type Authority, writing } from '../database/statements.ts'
import type { Database } from '../deps.ts'
import { GIVE_UP_MILLISECONDS, insertMail } from '../mail/outbox.ts'
import type { NewLink } from './link-store.ts'

/** A link that an operator hands over for a new password. */
type ResetLink = Required<
  Pick<NewLink, 'tokenHash' | 'createdBy' | 'secondFactor' | 'createdAt' | 'endsAt'>
> & { userId: number }

/**
 * Adds a link that rests on the present password of a user. Returns no row when the user is gone or
 * can't have a new password: the guest, and an account that is disabled or has ended.
 */
export function insertResetLink(db: Database, by: Authority, link: ResetLink) {
  const row = { ...link, kind: 'reset', passwordChangedAt: sql`${users.passwordChangedAt}` }
  const where = and(eq(users.id, link.userId), isEnabled(link.createdAt), isNotGuest)
  return writing(db, by).insert(links, row, { from: users, where }).returning({ id: links.id })
}

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

/**
 * Tells the verified address of a user something about the account, in a mail without a link.
 *
 * @param when A further condition.
 */
export function mailToUser(
  db: Database,
  by: Authority,
  userId: number,
  kind: 'password_reset' | 'reset_link_made',
  language: Language,
  now: number,
  when?: SQL,
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
  const where = and(eq(users.id, userId), eq(users.emailVerified, true), when)
  return insertMail(db, by, mail, now, { from: sql`${users}`, where })
}
