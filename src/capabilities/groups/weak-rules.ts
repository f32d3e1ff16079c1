import { and, eq, isNotNull, ne, type SQL, sql } from 'drizzle-orm'
import { unionAll } from 'drizzle-orm/sqlite-core'
import { folderRules, groupMembers, users } from '../../../schema/tables.ts'
import { CHANGES_FILES, GENERAL, isPermitted } from '../../core/accounts/roles.ts'
import { literal } from '../../core/database/literal.ts'
import type { Database } from '../../core/deps.ts'
import { isAtOrBelow } from './decision.ts'

/** Why a user has less than a rule gives. */
export type Weakness = 'out_of_reach' | 'no_bits'

/** A user who has less than a rule gives. */
export interface WeakRule {
  path: string
  username: string
  weakness: Weakness
}

/**
 * Selects the rules that give a right, with the users whom they name or whose group they name.
 *
 * @param path Exactly this folder; by default all.
 */
export function selectGivenRights(db: Database, path?: string) {
  const isGiven = and(
    ne(folderRules.access, 'none'),
    eq(users.role, sql`${literal(GENERAL)}`),
    path === undefined ? undefined : eq(folderRules.path, path),
  )
  return unionAll(
    selectNamed(db)
      .innerJoin(users, eq(users.id, folderRules.userId))
      .where(and(isNotNull(folderRules.userId), isGiven)),
    selectNamed(db)
      .innerJoin(groupMembers, eq(groupMembers.groupId, folderRules.groupId))
      .innerJoin(users, eq(users.id, groupMembers.userId))
      .where(and(isNotNull(folderRules.groupId), isGiven)),
  ).orderBy(sql`path, username`)
}

function selectNamed(db: Database) {
  const access: SQL<string> = sql`${folderRules.access}`
  return db
    .select({
      path: folderRules.path,
      access: access.as('access'),
      username: users.username,
      basePath: users.basePath,
      permission: users.permission,
    })
    .from(folderRules)
}

/** Finds the users whose base path hides a folder, or whose permissions let them write nothing. */
export function findWeakRules(rows: Awaited<ReturnType<typeof selectGivenRights>>): WeakRule[] {
  return rows.flatMap(({ path, access, username, basePath, permission }): WeakRule[] => {
    if (!isAtOrBelow(path, basePath)) return [{ path, username, weakness: 'out_of_reach' }]
    const lacksBits = access === 'write' && !isPermitted(permission, CHANGES_FILES)
    return lacksBits ? [{ path, username, weakness: 'no_bits' }] : []
  })
}
