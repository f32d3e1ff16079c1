import { and, count, eq, type SQL, sql } from 'drizzle-orm'
import { folderRules, groups, users } from '../../../schema/tables.ts'
import { groupNameKey, MAX_FOLDER_RULES, MAX_RULE_FOLDERS } from '../../core/accounts/groups.ts'
import { ADMIN } from '../../core/accounts/roles.ts'
import type { PageWindow } from '../../core/base/paging.ts'
import { literal } from '../../core/database/literal.ts'
import { type Authority, writing } from '../../core/database/statements.ts'
import type { Database } from '../../core/deps.ts'
import type { Access } from './decision.ts'
import { isNoFolderMoving } from './folder-move.ts'

/** Whose rights a rule gives: a built-in group, a group or a user. The others are null. */
export interface Whose {
  builtIn: 'user' | 'guest' | null
  groupId: number | null
  userId: number | null
}

/** The conditions on the rules of a list. */
export interface RuleFilter {
  /** Exactly this folder. */
  path?: string | undefined
  /** The name of a group. */
  group?: string | undefined
  userId?: number | undefined
}

/** A rule with the names that it is shown with. */
export type ListedRule = Awaited<ReturnType<typeof selectListedRules>>[number]

const nameOfGroup = sql<string | null>`coalesce(${folderRules.builtIn}, ${groups.name})`

export function selectListedRules(db: Database, filter: RuleFilter, { limit, offset }: PageWindow) {
  return db
    .select({
      id: folderRules.id,
      path: folderRules.path,
      group: nameOfGroup.as('group_name'),
      userId: folderRules.userId,
      username: users.username,
      access: sql<Access>`${folderRules.access}`.as('access'),
    })
    .from(folderRules)
    .leftJoin(groups, eq(groups.id, folderRules.groupId))
    .leftJoin(users, eq(users.id, folderRules.userId))
    .where(isIn(filter))
    .orderBy(folderRules.path, folderRules.id)
    .limit(limit)
    .offset(offset)
}

export function countRules(db: Database, filter: RuleFilter) {
  return db
    .select({ total: count() })
    .from(folderRules)
    .leftJoin(groups, eq(groups.id, folderRules.groupId))
    .where(isIn(filter))
}

function isIn({ path, group, userId }: RuleFilter): SQL | undefined {
  return and(
    path === undefined ? undefined : eq(folderRules.path, path),
    group === undefined
      ? undefined
      : sql`(${groups.nameKey} = ${groupNameKey(group)} or ${folderRules.builtIn} = ${groupNameKey(group)})`,
    userId === undefined ? undefined : eq(folderRules.userId, userId),
  )
}

/** The rule as events show it: `/photos: editors read`. */
const shown = sql<string>`${folderRules.path} || ': ' || coalesce(${folderRules.builtIn},
  (select ${groups.name} from ${groups} where ${groups.id} = ${folderRules.groupId}),
  (select ${users.username} from ${users} where ${users.id} = ${folderRules.userId}),
  '#' || ${folderRules.userId}) || ' ' || ${folderRules.access}`

/** Returns the text of the row of a rule for an event; with `access`, of its change. */
export function shownRule(access?: Access): SQL {
  return access === undefined ? shown : sql`${shown} || ' → ' || ${access}`
}

function isOf({ builtIn, groupId, userId }: Whose): SQL {
  return sql`(${folderRules.builtIn} is ${builtIn} and ${folderRules.groupId} is ${groupId} and ${folderRules.userId} is ${userId})`
}

/** Selects the rule of a folder for the same user or group. */
export function selectSameRule(db: Database, path: string, whose: Whose) {
  return db
    .select({ id: folderRules.id })
    .from(folderRules)
    .where(and(eq(folderRules.path, path), isOf(whose)))
}

/** Selects how many rules and folders with rules there are, and whether this folder has some. */
export function selectNumbers(db: Database, path: string) {
  return db
    .select({
      rules: count(),
      folders: sql<number>`count(distinct ${folderRules.path})`.as('folders'),
      here: sql<number>`count(nullif(${folderRules.path} = ${path}, 0))`.as('here'),
    })
    .from(folderRules)
}

/** Holds while a folder can get a rule for this user or group. */
export function mayMakeRule(db: Database, path: string, whose: Whose, now: number): SQL {
  const isKnown =
    whose.userId === null
      ? sql`(${whose.groupId} is null or exists (select 1 from ${groups} where ${groups.id} = ${whose.groupId}))`
      : sql`exists (select 1 from ${users} where ${users.id} = ${whose.userId} and ${users.role} <> ${literal(ADMIN)})`
  return sql`(${isNoFolderMoving(db, now)} and ${isKnown}
    and not exists (select 1 from ${folderRules} where ${folderRules.path} = ${path} and ${isOf(whose)})
    and (select count(*) from ${folderRules}) < ${MAX_FOLDER_RULES}
    and (exists (select 1 from ${folderRules} where ${folderRules.path} = ${path})
      or (select count(distinct ${folderRules.path}) from ${folderRules}) < ${MAX_RULE_FOLDERS}))`
}

export function insertRule(
  db: Database,
  by: Authority,
  rule: Whose & { path: string; access: Access; createdAt: number },
) {
  return writing(db, by)
    .insert(folderRules, rule, { where: mayMakeRule(db, rule.path, rule, rule.createdAt) })
    .returning({ id: folderRules.id })
}

/** Holds for the row of a rule that can get another access. */
export function isOtherAccess(db: Database, id: number, access: Access, now: number): SQL {
  return sql`(${isChangeable(db, id, now)} and ${folderRules.access} <> ${access})`
}

/** Holds for the row of a rule that can be changed. */
export function isChangeable(db: Database, id: number, now: number): SQL {
  return sql`(${folderRules.id} = ${id} and ${isNoFolderMoving(db, now)})`
}

export function updateRule(db: Database, by: Authority, id: number, access: Access, now: number) {
  return writing(db, by)
    .update(folderRules, { access }, isOtherAccess(db, id, access, now))
    .returning({ id: folderRules.id })
}

export function selectRule(db: Database, id: number) {
  return db
    .select({ id: folderRules.id, path: folderRules.path })
    .from(folderRules)
    .where(eq(folderRules.id, id))
}

export function deleteRule(db: Database, by: Authority, id: number, now: number) {
  return writing(db, by)
    .delete(folderRules, isChangeable(db, id, now))
    .returning({ id: folderRules.id })
}
