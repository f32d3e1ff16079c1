import { and, eq, ne, sql } from 'drizzle-orm'
import * as v from 'valibot'
import { folderRules, folderState, groupMembers, users } from '../../../schema/tables.ts'
import { isEnabledAt } from '../../core/accounts/enabled-at.ts'
import { runBatch } from '../../core/database/statements.ts'
import type { Database } from '../../core/deps.ts'
import { ACCESS, type FolderRule, type Person } from './decision.ts'

/** Selects all folder rules, by path. */
export function selectRules(db: Database) {
  return db
    .select({
      id: folderRules.id,
      path: folderRules.path,
      builtIn: folderRules.builtIn,
      groupId: folderRules.groupId,
      userId: folderRules.userId,
      access: folderRules.access,
    })
    .from(folderRules)
    .orderBy(folderRules.path, folderRules.id)
}

const ruleSchema = v.object({
  id: v.number(),
  path: v.string(),
  builtIn: v.nullable(v.picklist(['user', 'guest'])),
  groupId: v.nullable(v.number()),
  userId: v.nullable(v.number()),
  access: v.picklist(ACCESS),
})
const rulesSchema = v.array(ruleSchema)

/** Reads the rows of `selectRules`. */
export function readRules(rows: Awaited<ReturnType<typeof selectRules>>): FolderRule[] {
  return v.parse(rulesSchema, rows)
}

/** Selects all accounts, with what decides about their rights. */
export function selectPeople(db: Database) {
  const groupIds = sql<string>`(${sql`select json_group_array(${groupMembers.groupId})
    from ${groupMembers} where ${groupMembers.userId} = ${users.id}`})`
  return db
    .select({
      id: users.id,
      role: users.role,
      disabled: users.disabled,
      endsAt: users.endsAt,
      basePath: users.basePath,
      permission: users.permission,
      groupIds: groupIds.as('group_ids'),
    })
    .from(users)
    .orderBy(users.id)
}

const idsSchema = v.pipe(v.string(), v.parseJson(), v.array(v.number()))

/** An account of this site. */
export interface PersonHere extends Person {
  isEnabled: boolean
  basePath: string
  permission: number
}

/**
 * Reads the rows of `selectPeople`.
 *
 * @param now Unix time, milliseconds.
 */
export function readPeople(
  rows: Awaited<ReturnType<typeof selectPeople>>,
  now: number,
): PersonHere[] {
  return rows.map((row) => ({
    id: row.id,
    role: row.role,
    groupIds: v.parse(idsSchema, row.groupIds),
    isEnabled: isEnabledAt(row, now),
    basePath: row.basePath,
    permission: row.permission,
  }))
}

/** Selects the version of the rules and of all that they depend on, and the one that is in force. */
export function selectFolderState(db: Database) {
  const { version, written } = folderState
  return db.select({ version, written }).from(folderState)
}

/** Selects a row while something waits to be written. */
export function selectIsWaiting(db: Database) {
  return db
    .select({ waits: sql<number>`1`.as('waits') })
    .from(folderState)
    .where(and(eq(folderState.id, sql`1`), ne(folderState.version, folderState.written)))
}

/** Tells whether everything was written as the rules want it. The first change makes the row. */
export async function isSettled(db: Database): Promise<boolean> {
  const { waiting } = await runBatch(db, { waiting: selectIsWaiting(db) })
  return waiting.length === 0
}
