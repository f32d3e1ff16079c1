import { count, eq, type SQL, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/sqlite-core'
import { folderRules, groupMembers, groups, users } from '../../../schema/tables.ts'
import { groupNameKey, MAX_GROUPS, MAX_GROUPS_OF_USER } from '../../core/accounts/groups.ts'
import { latinLook, latinLookOf } from '../../core/accounts/look-alikes.ts'
import { GUEST } from '../../core/accounts/roles.ts'
import type { PageWindow } from '../../core/base/paging.ts'
import { literal } from '../../core/database/literal.ts'
import { type Authority, writing } from '../../core/database/statements.ts'
import type { Database } from '../../core/deps.ts'

/** A group with the numbers of its members and rules. */
export type ListedGroup = Awaited<ReturnType<typeof selectListed>>[number]

/** Counts the rows of another table that name the group of a row. */
function countIn(table: SQL): SQL<number> {
  return sql<number>`(${sql`select count(*) from ${table} as other where other.group_id = ${groups.id}`})`
}

function selectListed(db: Database) {
  return db
    .select({
      id: groups.id,
      name: groups.name,
      note: groups.note,
      createdAt: groups.createdAt,
      members: countIn(sql`${groupMembers}`).as('members'),
      rules: countIn(sql`${folderRules}`).as('rules'),
    })
    .from(groups)
}

/** Selects groups by name: all, or those of a user. */
export function selectGroups(
  db: Database,
  userId: number | undefined,
  { limit, offset }: PageWindow,
) {
  return selectListed(db)
    .where(isOfUser(userId))
    .orderBy(groups.nameKey)
    .limit(limit)
    .offset(offset)
}

export function countGroups(db: Database, userId: number | undefined) {
  return db.select({ total: count() }).from(groups).where(isOfUser(userId))
}

function isOfUser(userId: number | undefined): SQL | undefined {
  if (userId === undefined) return undefined
  return sql`${groups.id} in (select ${groupMembers.groupId} from ${groupMembers} where ${groupMembers.userId} = ${userId})`
}

export function selectGroup(db: Database, id: number) {
  return selectListed(db).where(eq(groups.id, id))
}

/** Selects a group with this name in any case. */
export function selectGroupNamed(db: Database, name: string) {
  return selectListed(db).where(eq(groups.nameKey, groupNameKey(name)))
}

const others = alias(groups, 'others')

/** Selects another group that has this name in any case, or one that looks like it. */
export function selectRival(db: Database, name: string, exceptId?: number) {
  return db.select({ id: others.id }).from(others).where(isRival(name, exceptId))
}

/** Holds for a row of `others` that has this name in any case, or one that looks like it. */
function isRival(name: string, exceptId = 0): SQL {
  const look = latinLook(groupNameKey(name))
  return sql`(${latinLookOf(others.nameKey)} = ${look} and ${others.id} <> ${exceptId})`
}

/** Holds while no other group has this name in any case, or one that looks like it. */
function isFree(name: string, exceptId?: number): SQL {
  return sql`not exists (select 1 from ${groups} as others where ${isRival(name, exceptId)})`
}

/** Holds while a group with this name can be made. */
export function mayMakeGroup(name: string): SQL {
  return sql`(${isFree(name)} and (select count(*) from ${groups} as others) < ${MAX_GROUPS})`
}

/** @param where The condition, with `mayMakeGroup`. */
export function insertGroup(
  db: Database,
  by: Authority,
  { name, note, createdAt }: { name: string; note: string; createdAt: number },
  where: SQL,
) {
  return writing(db, by)
    .insert(groups, { name, nameKey: groupNameKey(name), note, createdAt }, { where })
    .returning({ id: groups.id })
}

/** The fields of a group that a request sets. */
export interface GroupChange {
  name?: string | undefined
  note?: string | undefined
}

/** Holds for the row of a group that a change makes another one. */
export function isChanged(id: number, { name, note }: GroupChange): SQL {
  const isOtherName = name === undefined ? sql`false` : sql`${groups.name} <> ${name}`
  const isOtherNote = note === undefined ? sql`false` : sql`${groups.note} <> ${note}`
  const isNameFree = name === undefined ? sql`true` : isFree(name, id)
  return sql`(${groups.id} = ${id} and (${isOtherName} or ${isOtherNote}) and ${isNameFree})`
}

/** Returns the old name of the row of a group, and the new one if it gets another. */
export function namesOfChange({ name }: GroupChange): SQL {
  if (name === undefined) return sql`${groups.name}`
  return sql`iif(${groups.name} = ${name}, ${name}, ${groups.name} || ' → ' || ${name})`
}

/** @param where The condition on the row, with `isChanged`. */
export function updateGroup(db: Database, by: Authority, { name, note }: GroupChange, where: SQL) {
  const set = {
    ...(name !== undefined && { name, nameKey: groupNameKey(name) }),
    ...(note !== undefined && { note }),
  }
  return writing(db, by).update(groups, set, where).returning({ id: groups.id })
}

/** Holds for the row of a group that no folder rule names. */
export function isWithoutRules(id: number): SQL {
  return sql`(${groups.id} = ${id} and not exists (select 1 from ${folderRules} where ${folderRules.groupId} = ${id}))`
}

/** @param where The condition on the row, with `isWithoutRules`. */
export function deleteGroup(db: Database, by: Authority, where: SQL) {
  return writing(db, by).delete(groups, where).returning({ id: groups.id })
}

/** A member of a group, and how it became one. */
export type ListedMember = Awaited<ReturnType<typeof selectMembers>>[number]

/** Selects the members of a group by name. */
export function selectMembers(db: Database, groupId: number, { limit, offset }: PageWindow) {
  return db
    .select({
      id: users.id,
      username: users.username,
      addedAt: groupMembers.addedAt,
      source: groupMembers.source,
      // D1 answers columns by their names, so this one needs another.
      adder: sql<
        string | null
      >`(${sql`select adders.username from ${users} as adders where adders.id = ${groupMembers.addedBy}`})`.as(
        'adder',
      ),
    })
    .from(groupMembers)
    .innerJoin(users, eq(users.id, groupMembers.userId))
    .where(eq(groupMembers.groupId, groupId))
    .orderBy(users.usernameKey)
    .limit(limit)
    .offset(offset)
}

/** Selects the memberships of a user, by the name of the group. */
export function selectMembershipsOf(db: Database, userId: number) {
  return db
    .select({ name: groups.name, addedAt: groupMembers.addedAt, source: groupMembers.source })
    .from(groupMembers)
    .innerJoin(groups, eq(groups.id, groupMembers.groupId))
    .where(eq(groupMembers.userId, userId))
    .orderBy(groups.nameKey)
}

export function countMembers(db: Database, groupId: number) {
  return db.select({ total: count() }).from(groupMembers).where(eq(groupMembers.groupId, groupId))
}

/** Returns the id of a group, which is null when there is none, in SQL. */
export function idOfGroup(which: { id: number } | { name: string }): SQL {
  const is = 'id' in which ? eq(groups.id, which.id) : eq(groups.nameKey, groupNameKey(which.name))
  return sql`(select ${groups.id} from ${groups} where ${is})`
}

const UNKNOWN = sql`candidate.id is null`
const GUESTS = sql`candidate.role = ${literal(GUEST)}`

/** Holds for a user who is in too many groups, and not in this one. */
function isFull(groupId: SQL): SQL {
  return sql`(candidate.id is not null
    and not exists (select 1 from ${groupMembers} as held where held.group_id = ${groupId} and held.user_id = candidate.id)
    and (select count(*) from ${groupMembers} as held where held.user_id = candidate.id) >= ${literal(MAX_GROUPS_OF_USER)})`
}

function chosen(userIds: readonly number[]): SQL {
  return sql`json_each(${JSON.stringify(userIds)}) as chosen left join ${users} as candidate on candidate.id = chosen.value`
}

/** Selects a row with the id of a group, and why it can't have all of these users. */
export function selectUnfit(db: Database, groupId: SQL, userIds: readonly number[]) {
  const counted = (condition: SQL) =>
    sql<number>`(${sql`select count(*) from ${chosen(userIds)} where ${condition}`})`
  return db
    .select({
      groupId: sql<number | null>`${groupId}`.as('group_id'),
      unknown: counted(UNKNOWN).as('unknown'),
      guests: counted(GUESTS).as('guests'),
      full: counted(isFull(groupId)).as('full'),
    })
    .from(sql`(select 1)`)
}

/** Holds when a group, which need not exist, can have all of these users. */
export function areFit(groupId: SQL, userIds: readonly number[]): SQL {
  return sql`not exists (select 1 from ${chosen(userIds)} where ${UNKNOWN} or ${GUESTS} or ${isFull(groupId)})`
}

/** Holds when all of these users exist. */
export function areKnown(userIds: readonly number[]): SQL {
  return sql`not exists (select 1 from ${chosen(userIds)} where ${UNKNOWN})`
}
