import { and, asc, eq, exists, isNotNull, notExists, type SQL, sql } from 'drizzle-orm'
import { accountList, users } from '../../schema/tables.ts'
import { isEnabled, isNotGuest } from '../accounts/conditions.ts'
import { isNamed } from '../accounts/store.ts'
import type { Database } from '../database/database.ts'
import type { Authority } from '../database/statements.ts'

export function selectVersion(db: Database) {
  return db.select({ version: accountList.version }).from(accountList)
}

/**
 * Selects the accounts that may sign in, by id.
 *
 * @param by Who may see them: without this condition, a wrong token would cost a scan.
 * @param known The versions of the list that the caller has; `*` is any. With the current one,
 *   SQLite reads no row of `users`.
 */
export function selectListed(db: Database, by: Authority, known: readonly string[]) {
  const isKnown = db
    .select({ id: accountList.id })
    .from(accountList)
    .where(
      sql`exists (select 1 from json_each(${JSON.stringify(known)}) where value in (${accountList.version}, '*'))`,
    )
  return db
    .select({
      id: users.id,
      username: users.username,
      role: users.role,
      permission: users.permission,
    })
    .from(users)
    .where(and(by, notExists(isKnown), isEnabled, isNotGuest))
    .orderBy(asc(users.id))
}

/** Holds while an account of this name has a password that could sign it in. */
export function hasPassword(db: Database, username: string): SQL {
  const owner = db
    .select({ id: users.id })
    .from(users)
    .where(and(isNamed(username), isEnabled, isNotGuest, isNotNull(users.passwordHash)))
  return exists(owner)
}

/** Selects the account while its password hash was last changed at this time. */
export function selectUnchanged(db: Database, userId: number, passwordChangedAt: number) {
  return db
    .select({ id: users.id })
    .from(users)
    .where(and(eq(users.id, userId), isEnabled, eq(users.passwordChangedAt, passwordChangedAt)))
}
