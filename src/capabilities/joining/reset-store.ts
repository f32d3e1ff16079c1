import { and, eq, sql } from 'drizzle-orm'
import { links, users } from '../../../schema/tables.ts'
import { isEnabled, isNotGuest } from '../../core/accounts/conditions.ts'
import { type Authority, writing } from '../../core/database/statements.ts'
import type { Database } from '../../core/deps.ts'
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
