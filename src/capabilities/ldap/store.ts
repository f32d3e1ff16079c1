import { and, asc, isNotNull, notExists, type SQL, sql } from 'drizzle-orm'
import { accountList, groupMembers, groups, users } from '../../../schema/tables.ts'
import { isEnabled, isNotGuest } from '../../core/accounts/conditions.ts'
import { existsUser, isNamed } from '../../core/accounts/store.ts'
import type { Database } from '../../core/database/database.ts'
import type { Authority } from '../../core/database/statements.ts'

/**
 * Selects the version of the list: that of the last change, and the last end of an account that has
 * passed, because no statement runs when an account ends.
 */
export function selectVersion(db: Database, now: number) {
  return db.select({ version: sql<string>`${versionAt(now)}`.as('list_version') }).from(accountList)
}

function versionAt(now: number): SQL {
  const lastEnd = sql`(select max(owner.ends_at) from ${users} as owner where owner.ends_at <= ${now})`
  return sql`(${accountList.version} || '-' || coalesce(${lastEnd}, 0))`
}

/** Selects the groups of the site by name, as `selectListed` selects the accounts. */
export function selectListedGroups(
  db: Database,
  by: Authority,
  known: readonly string[],
  now: number,
) {
  return db
    .select({ id: groups.id, name: groups.name })
    .from(groups)
    .where(and(by, isNews(db, known, now)))
    .orderBy(asc(groups.nameKey))
}

/** Selects the members of all groups, as `selectListed` selects the accounts. */
export function selectListedMembers(
  db: Database,
  by: Authority,
  known: readonly string[],
  now: number,
) {
  return db
    .select({ groupId: groupMembers.groupId, userId: groupMembers.userId })
    .from(groupMembers)
    .where(and(by, isNews(db, known, now)))
}

/**
 * Selects the accounts that may sign in, by id.
 *
 * @param by Who may see them: without this condition, a wrong token would cost a scan.
 * @param known The versions of the list that the caller has; `*` is any. With the current one,
 *   SQLite reads no row of `users`.
 */
export function selectListed(db: Database, by: Authority, known: readonly string[], now: number) {
  return db
    .select({
      id: users.id,
      username: users.username,
      role: users.role,
      permission: users.permission,
    })
    .from(users)
    .where(and(by, isNews(db, known, now), isEnabled(now), isNotGuest))
    .orderBy(asc(users.id))
}

/** Holds while the caller does not have the current version. */
function isNews(db: Database, known: readonly string[], now: number): SQL {
  const isKnown = db
    .select({ id: accountList.id })
    .from(accountList)
    .where(
      sql`exists (select 1 from json_each(${JSON.stringify(known)}) where value in (${versionAt(now)}, '*'))`,
    )
  return notExists(isKnown)
}

/** Holds while an account of this name has a password that could sign it in. */
export function hasPassword(db: Database, username: string, now: number): SQL {
  const hasHash = isNotNull(users.passwordHash)
  return existsUser(db, isNamed(username), isEnabled(now), isNotGuest, hasHash)
}
