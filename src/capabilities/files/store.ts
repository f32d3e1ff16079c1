import {
  and,
  eq,
  exists,
  isNotNull,
  isNull,
  lt,
  not,
  notExists,
  or,
  type SQL,
  sql,
} from 'drizzle-orm'
import * as v from 'valibot'
import { fileUsers, users } from '../../../schema/tables.ts'
import { selectActorWith } from '../../core/access/act-as.ts'
import { type Account, accountColumns } from '../../core/accounts/accounts.ts'
import { isEnabled } from '../../core/accounts/conditions.ts'
import { GUEST } from '../../core/accounts/roles.ts'
import type { Database, Meter } from '../../core/database/database.ts'
import { runBatch, THE_SERVICE, writing } from '../../core/database/statements.ts'

/** The user of the file server that a user acts as. */
export interface FileUser {
  remoteId: number
  remoteName: string
  /** The name that it was being given there when the file server did not answer. */
  nextName: string | null
  /** What was last written there; null while nothing was. */
  written: Wanted | null
  writes: number
  token: string | null
  /** Unix time, milliseconds. */
  tokenMadeAt: number
}

/** What the file server has to know of a user. */
export interface Wanted {
  username: string
  permission: number
  basePath: string
  disabled: boolean
}

const stateSchema = v.tuple([
  v.number(),
  v.string(),
  v.nullable(v.string()),
  v.nullable(v.number()),
  v.nullable(v.string()),
  v.nullable(v.number()),
  v.number(),
  v.nullable(v.string()),
  v.number(),
  v.nullable(v.string()),
])

/** One column, so that the row of an account has it in the same round trip. */
const fileUserState = sql<string | null>`(select json_array(
  ${fileUsers.remoteId}, ${fileUsers.remoteName}, ${fileUsers.username}, ${fileUsers.permission},
  ${fileUsers.basePath}, ${fileUsers.disabled}, ${fileUsers.writes}, ${fileUsers.token},
  ${fileUsers.tokenMadeAt}, ${fileUsers.nextName}) from ${fileUsers} where ${fileUsers.userId} = ${users.id})`.as(
  'file_user',
)

/** Reads the column of `fileUserState`. */
export function readFileUser(json: string | null): FileUser | undefined {
  if (json === null) return undefined
  const [remoteId, remoteName, username, permission, basePath, disabled, ...rest] = v.parse(
    stateSchema,
    JSON.parse(json),
  )
  const [writes, token, tokenMadeAt, nextName] = rest
  const isWritten = username !== null && permission !== null && basePath !== null
  const written = isWritten ? { username, permission, basePath, disabled: disabled === 1 } : null
  return { remoteId, remoteName, nextName, written, writes, token, tokenMadeAt }
}

/** Selects the account of an actor and the user of the file server, in one row. */
export const selectFileActor = selectActorWith({ fileUser: fileUserState })

const selectWithFileUser = (db: Database) =>
  db.select({ ...accountColumns, fileUser: fileUserState }).from(users)

/** An account and the column of `fileUserState`. */
export type AccountWithFileUser = Account & { fileUser: string | null }

export async function findGuestWithFileUser(
  db: Database,
): Promise<AccountWithFileUser | undefined> {
  const [guest] = await selectWithFileUser(db)
    .where(eq(users.role, GUEST))
    .orderBy(users.id)
    .limit(1)
  return guest
}

export async function findWithFileUser(
  db: Database,
  userId: number,
): Promise<AccountWithFileUser | undefined> {
  const [found] = await selectWithFileUser(db).where(eq(users.id, userId))
  return found
}

/**
 * Holds for a user of the file server whose user here was changed or deleted since it was last
 * written. One that was never written stays as it is until it is first used.
 */
function isBehind(db: Database, now: number): SQL | undefined {
  const same = db.select({ id: users.id }).from(users).where(isSame(now))
  const owner = db.select({ id: users.id }).from(users).where(eq(users.id, fileUsers.userId))
  const isUsed = isNotNull(fileUsers.username)
  return and(
    isNull(fileUsers.goneAt),
    or(
      notExists(owner),
      and(isUsed, notExists(same)),
      and(isUnused, exists(disabledOwner(db, now))),
    ),
  )
}

const isUnused = isNull(fileUsers.username)

/**
 * Who was disabled here, or has an account that has ended, is written at once, also when nobody has
 * used the link yet.
 */
function disabledOwner(db: Database, now: number) {
  return db
    .select({ id: users.id })
    .from(users)
    .where(and(eq(users.id, fileUsers.userId), not(isEnabled(now))))
}

function isSame(now: number): SQL | undefined {
  return and(
    eq(users.id, fileUsers.userId),
    sql`${users.username} = ${fileUsers.username}`,
    sql`${users.permission} = ${fileUsers.permission}`,
    sql`${users.basePath} = ${fileUsers.basePath}`,
    sql`${isEnabled(now)} <> ${fileUsers.disabled}`,
  )
}

/** What `isBehind` compares. */
const COMPARED = [
  'users',
  ...['username', 'permission', 'basePath', 'disabled', 'endsAt'].map((name) => `users.${name}`),
]

/**
 * Tells whether a request can have changed who has to be written. To ask who that is, a row is read
 * for each user of the file server.
 */
export function mayBeBehind({ rowsWritten, changes }: Meter): boolean {
  return rowsWritten > 0 && COMPARED.some((field) => changes.has(field))
}

/**
 * Selects the ids of users whose user of the file server has to be written: first all who were
 * disabled or deleted, or whose account has ended, then so many of the others. Each time in another
 * order, because some may be users who can't be written.
 */
export async function selectBehind(
  db: Database,
  maxOthers: number,
  now: number,
): Promise<number[]> {
  const isEnd = not(exists(enabledOwner(db, now)))
  const rows = await db
    .select({ userId: fileUsers.userId, isEnd: sql`${isEnd}`.mapWith(Boolean).as('is_end') })
    .from(fileUsers)
    .where(isBehind(db, now))
    .orderBy(sql`is_end desc, random()`)
  const ends = rows.filter((row) => row.isEnd).length
  return rows.slice(0, ends + maxOthers).map(({ userId }) => userId)
}

function enabledOwner(db: Database, now: number) {
  return db
    .select({ id: users.id })
    .from(users)
    .where(and(eq(users.id, fileUsers.userId), isEnabled(now)))
}

/** The link of a user who may be gone here. */
export async function findLink(
  db: Database,
  userId: number,
  now: number,
): Promise<Link | undefined> {
  const [found] = await selectLinks(db, now).where(eq(fileUsers.userId, userId))
  return found
}

/** Which user of the file server a user is. */
export interface Link {
  userId: number
  /** Null for a user who is gone here, and soon there. */
  name: string | null
  remoteId: number
  remoteName: string
  nextName: string | null
  /** That of the user here, also when that one is gone; null where it was not recorded. */
  sub: string | null
  /** Whether the user there was ever written. */
  isUsed: boolean
  /** Whether the user there is not yet as the user here. */
  isBehind: boolean
}

export function listLinks(db: Database, now: number): Promise<Link[]> {
  return selectLinks(db, now).where(isNull(fileUsers.goneAt)).orderBy(fileUsers.userId)
}

function selectLinks(db: Database, now: number) {
  return db
    .select({
      userId: fileUsers.userId,
      name: users.username,
      remoteId: fileUsers.remoteId,
      remoteName: fileUsers.remoteName,
      nextName: fileUsers.nextName,
      sub: fileUsers.sub,
      isUsed: sql`${isNotNull(fileUsers.username)}`.mapWith(Boolean).as('is_used'),
      isBehind: sql`${isBehind(db, now)}`.mapWith(Boolean).as('is_behind'),
    })
    .from(fileUsers)
    .leftJoin(users, eq(users.id, fileUsers.userId))
}

/** Records a link. @returns Whether it was new: neither user has another one. */
export async function insertFileUser(
  db: Database,
  userId: number,
  remote: { remoteId: number; remoteName: string },
): Promise<boolean> {
  const written = writing(db, THE_SERVICE)
  const isOld = or(eq(fileUsers.userId, userId), eq(fileUsers.remoteId, remote.remoteId))
  const { inserted } = await runBatch(db, {
    forgotten: written.delete(fileUsers, and(isNotNull(fileUsers.goneAt), isOld)),
    inserted: written
      .insert(fileUsers, { userId, ...remote, sub: subOf(db, userId) })
      .onConflictDoNothing()
      .returning({ userId: fileUsers.userId }),
  })
  return inserted.length > 0
}

/**
 * Records the name of the user there, and the one that it is being given: when the answer is lost,
 * it has one of the two.
 */
export async function recordRename(
  db: Database,
  userId: number,
  names: { remoteName: string; nextName: string },
): Promise<void> {
  await updateFileUsers(db, names, eq(fileUsers.userId, userId))
}

/**
 * Records what was written to the file server, unless another request has recorded a write since.
 *
 * @returns Whether it was recorded.
 */
export async function recordWritten(
  db: Database,
  userId: number,
  remoteName: string,
  wanted: Wanted,
  writes: number,
): Promise<boolean> {
  const { updated } = await runBatch(db, {
    updated: writing(db, THE_SERVICE)
      .update(
        fileUsers,
        { ...wanted, remoteName, nextName: null, writes: writes + 1, token: null },
        and(eq(fileUsers.userId, userId), eq(fileUsers.writes, writes)),
      )
      .returning({ userId: fileUsers.userId }),
  })
  return updated.length > 0
}

export async function recordToken(
  db: Database,
  userId: number,
  token: string,
  now: number,
): Promise<void> {
  await updateFileUsers(db, { token, tokenMadeAt: now }, eq(fileUsers.userId, userId))
}

async function updateFileUsers(
  db: Database,
  fields: Partial<typeof fileUsers.$inferInsert>,
  which: SQL,
): Promise<void> {
  await runBatch(db, { updated: writing(db, THE_SERVICE).update(fileUsers, fields, which) })
}

function subOf(db: Database, userId: number): SQL<string | null> {
  return sql`(${db.select({ sub: users.sub }).from(users).where(eq(users.id, userId))})`
}

/** What the file server should have of a user. */
export interface Known extends Pick<Link, 'userId' | 'remoteId' | 'remoteName'> {
  permission: number | null
  basePath: string | null
  disabled: boolean | null
  goneAt: number | null
  sub: string | null
}

/** Lists what was written there, and who was deleted there; each time in another order. */
export function listKnown(db: Database): Promise<Known[]> {
  const { userId, remoteId, remoteName, permission, basePath, disabled, goneAt, sub } = fileUsers
  return db
    .select({ userId, remoteId, remoteName, permission, basePath, disabled, goneAt, sub })
    .from(fileUsers)
    .where(or(isNotNull(permission), isNotNull(goneAt)))
    .orderBy(sql`random()`)
}

/** Records that users there are not as they were written, so that they are written again. */
export async function recordDrift(db: Database, userIds: number[]): Promise<void> {
  if (userIds.length === 0) return
  // D1 binds a hundred values at most.
  const ids = sql`(select value from json_each(${JSON.stringify(userIds)}))`
  const fields = { permission: null, goneAt: null }
  await updateFileUsers(db, fields, sql`${fileUsers.userId} in ${ids}`)
}

/** Records that a user there was deleted. */
export async function recordGone(db: Database, userId: number, now: number): Promise<void> {
  await updateFileUsers(db, { goneAt: now, token: null }, eq(fileUsers.userId, userId))
}

/** Forgets who was deleted there long ago. */
export function pruneGone(db: Database, before: number) {
  return writing(db, THE_SERVICE).delete(fileUsers, lt(fileUsers.goneAt, before))
}

export async function deleteFileUser(db: Database, userId: number): Promise<void> {
  await runBatch(db, {
    deleted: writing(db, THE_SERVICE).delete(fileUsers, eq(fileUsers.userId, userId)),
  })
}
