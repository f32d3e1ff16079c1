import { and, eq, ne, notExists, type SQL, sql } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import * as v from 'valibot'
import { folderRules, groupMembers, groups, users } from '../../../schema/tables.ts'
import { type AuditEvent, insertEvents } from '../audit/events.ts'
import { type Authority, writing } from '../database/statements.ts'
import type { UserId } from '../database/user-id.ts'
import type { Database } from '../deps.ts'
import { isNotGuest } from './conditions.ts'
import { ADMIN, GUEST } from './roles.ts'
import { visibleKey } from './username.ts'

/** The groups that every site has. They have no rows. */
export const BUILT_IN_GROUPS = ['user', 'guest', 'admin'] as const
export type BuiltInGroup = (typeof BUILT_IN_GROUPS)[number]

export const MAX_GROUPS_OF_USER = 50
/** Of a site. */
export const MAX_GROUPS = 200
/** Of a site. */
export const MAX_FOLDER_RULES = 1000
/** The number of folders of a site that have rules. */
export const MAX_RULE_FOLDERS = 200
export const MAX_GROUP_NOTE_CHARACTERS = 200
export const MAX_RULE_PATH_CHARACTERS = 1000

/** How somebody became a member. `command`: on the command line. */
export type MemberSource = 'operator' | 'command' | 'invitation' | 'registration' | 'sso' | 'import'

/** Returns the key by which names of groups are compared, as those of users and folders are. */
export function groupNameKey(name: string): string {
  return visibleKey(name)
}

/** Tells whether a rule is of nobody: it keeps a folder closed to all whom no other rule names. */
export function isOfNobody(userId: number | null): boolean {
  return userId !== null && userId < 0
}

/** Returns the built-in group of a role. */
export function builtInGroupOf(role: number): BuiltInGroup {
  if (role === ADMIN) return 'admin'
  return role === GUEST ? 'guest' : 'user'
}

/** The names of a user's own groups, in order, as JSON: a column of a row of `users`. */
export const GROUP_NAMES = sql<string>`(${sql`select json_group_array(name) from (
  select ${groups.name} as name from ${groupMembers}
  join ${groups} on ${groups.id} = ${groupMembers.groupId}
  where ${groupMembers.userId} = ${users.id} order by ${groups.nameKey}
)`})`.as('group_names')

/** Selects the names of a user's own groups, for `groupNamesOf`. */
export function selectGroupNames(db: Database, userId: UserId) {
  return db
    .select({ names: GROUP_NAMES })
    .from(users)
    .where(sql`${users.id} = ${userId}`)
}

/** Returns the names of the groups whose ids a JSON array has, in order, as JSON. */
export function namesOfGroups(ids: SQL | SQLiteColumn): SQL<string> {
  return sql<string>`(${sql`select json_group_array(name) from (
    select ${groups.name} as name from ${groups}
    where ${groups.id} in (select value from json_each(${ids})) order by ${groups.nameKey}
  )`})`
}

/** Reads the JSON of names. */
export function readGroupNames(json: string): string[] {
  return v.parse(namesSchema, json)
}

const namesSchema = v.pipe(v.string(), v.parseJson(), v.array(v.string()))

/**
 * Returns the names of all groups of a user, the built-in one first.
 *
 * @param json The column `GROUP_NAMES`.
 */
export function groupNamesOf(role: number, json: string): string[] {
  return [builtInGroupOf(role), ...readGroupNames(json)]
}

/** Selects the groups that have these names. Built-in ones have no rows. */
export function selectGroupsNamed(db: Database, names: readonly string[]) {
  const keys = JSON.stringify(names.map(groupNameKey))
  return db
    .select({ id: groups.id, name: groups.name })
    .from(groups)
    .where(sql`${groups.nameKey} in (select value from json_each(${keys}))`)
    .orderBy(groups.nameKey)
}

/** Selects the names of all groups, in order. Built-in ones have no rows. */
export function selectAllGroupNames(db: Database) {
  return db.select({ name: groups.name }).from(groups).orderBy(groups.nameKey)
}

/**
 * Selects groups, in order, each with the folders that its rules open: a row for each folder.
 *
 * @param named By default all groups.
 */
export function selectOpenFolders(db: Database, named?: NamedGroups) {
  const isNamed = named && sql`${groups.id} in (select value from json_each(${named.ids}))`
  const opens = and(eq(folderRules.groupId, groups.id), ne(folderRules.access, 'none'))
  return db
    .select({ name: groups.name, path: folderRules.path })
    .from(groups)
    .leftJoin(folderRules, opens)
    .where(isNamed)
    .orderBy(groups.nameKey, folderRules.path)
}

/** The groups that have some names. */
export interface NamedGroups {
  /** Their ids as a JSON array, in SQL. */
  ids: SQL
  /** Holds while there is a group of each name. */
  areThere: SQL
  /** Selects a row for each name that no group has. */
  selectMissing: (db: Database) => ReturnType<typeof selectMissing>
}

/** Finds the groups that have these names. Built-in ones have no rows. */
export function groupsNamed(names: readonly string[]): NamedGroups {
  const keys = JSON.stringify([...new Set(names.map(groupNameKey))])
  const isThere = sql`exists (select 1 from ${groups} where ${groups.nameKey} = value)`
  const missing = sql`(select value as key from json_each(${keys}) where not ${isThere})`
  return {
    ids: sql`(select json_group_array(${groups.id}) from ${groups}
      where ${groups.nameKey} in (select value from json_each(${keys})))`,
    areThere: sql`not exists ${missing}`,
    selectMissing: (db) => selectMissing(db, missing),
  }
}

function selectMissing(db: Database, missing: SQL) {
  return db.select({ key: sql<string>`key`.as('missing_key') }).from(missing)
}

/** Ids as SQLite reads them: an array in JSON, or an expression of one. */
export type Ids = readonly number[] | SQL

/** Returns the id of one user as a JSON array. */
export function idsOf(userId: UserId): SQL {
  return sql`json_array(${userId})`
}

function inIds(column: SQL, ids: Ids): SQL {
  return sql`${column} in (select value from json_each(${'length' in ids ? JSON.stringify(ids) : ids}))`
}

interface Membership {
  userIds: Ids
  groupIds: Ids
}

const ofPair = sql`${groupMembers.groupId} = ${groups.id} and ${groupMembers.userId} = ${users.id}`

/**
 * Returns the statements that add users to groups, with an event for each. They leave out groups
 * and users that do not exist, the guest, members, and users who are in too many groups.
 *
 * @param event Its user and its detail are replaced by the member and the name of the group.
 * @param when A further condition on the rows of `users` and `groups`.
 */
export function membersAdding(
  db: Database,
  by: Authority,
  { userIds, groupIds }: Membership,
  added: { source: MemberSource; addedBy?: UserId | null },
  event: AuditEvent,
  when?: SQL,
) {
  const member = db.select({ userId: groupMembers.userId }).from(groupMembers)
  // Those that the same statement adds before this one.
  const before = sql`(select count(*) from ${groups} as earlier where earlier.id < ${groups.id}
    and ${inIds(sql`earlier.id`, groupIds)} and not exists (select 1 from ${groupMembers}
      where ${groupMembers.groupId} = earlier.id and ${groupMembers.userId} = ${users.id}))`
  const source = {
    from: sql`${groups} cross join ${users}`,
    where: and(
      inIds(sql`${groups.id}`, groupIds),
      inIds(sql`${users.id}`, userIds),
      isNotGuest,
      notExists(member.where(ofPair)),
      sql`${groupsOfUser} + ${before} < ${MAX_GROUPS_OF_USER}`,
      when,
    ),
  }
  const row = {
    groupId: sql`${groups.id}`,
    userId: sql`${users.id}`,
    addedAt: event.at,
    addedBy: added.addedBy ?? null,
    source: added.source,
  }
  return {
    memberEvents: insertEvents(db, by, event, memberOfEvent, source),
    membersAdded: writing(db, by)
      .insert(groupMembers, row, source)
      .returning({ userId: groupMembers.userId }),
  }
}

/** The number of groups of the user of a row of `users`. */
const groupsOfUser: SQL = sql`(select count(*) from ${groupMembers} as own where own.user_id = ${users.id})`

const memberOfEvent = { userId: sql`${users.id}`, detail: sql`${groups.name}` }

/**
 * Returns the statements that remove users from groups, with an event for each.
 *
 * @param event Its user and its detail are replaced by the member and the name of the group.
 * @param when A further condition, in which `groupMembers` is the row.
 */
export function membersRemoving(
  db: Database,
  by: Authority,
  { userIds, groupIds }: Membership,
  event: AuditEvent,
  when?: SQL,
) {
  const which = and(
    inIds(sql`${groupMembers.groupId}`, groupIds),
    inIds(sql`${groupMembers.userId}`, userIds),
    when,
  )
  const nameOfGroup = sql`(select ${groups.name} from ${groups} where ${groups.id} = ${groupMembers.groupId})`
  const columns = { userId: sql`${groupMembers.userId}`, detail: nameOfGroup }
  return {
    removalEvents: insertEvents(db, by, event, columns, { from: groupMembers, where: which }),
    membersRemoved: writing(db, by)
      .delete(groupMembers, which)
      .returning({ userId: groupMembers.userId }),
  }
}
