import {
  and,
  eq,
  exists,
  gt,
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
import { fileLeases, fileRequests, fileUsers, users } from '../../../schema/tables.ts'
import { type AccountColumn, selectActorWith } from '../../core/access/actor-queries.ts'
import { accountReaders } from '../../core/accounts/account-readers.ts'
import type { Actor } from '../../core/access/actor.ts'
import { type Account, accountColumns } from '../../core/accounts/accounts.ts'
import { isEnabled } from '../../core/accounts/conditions.ts'
import { ADMIN, GUEST } from '../../core/accounts/roles.ts'
import type { Database, Meter } from '../../core/database/database.ts'
import { prepare } from '../../core/database/prepared.ts'
import { runBatch, THE_SERVICE, writing } from '../../core/database/statements.ts'
import { leaseEnds, selectHeld } from './lease.ts'

/** The user of the file server that a user acts as. */
export interface FileUser {
  remoteId: number
  remoteName: string
  /** The name that a write was giving it when the file server did not answer. */
  nextName: string | null
  /** The fields that were last written to it; null while none were. */
  written: Wanted | null
  writes: number
  token: string | null
  /** Unix time, milliseconds. */
  tokenMadeAt: number
  /** When the lease of who writes it ends (Unix time, milliseconds); null for none. */
  heldUntil: number | null
}

/** The fields of a user that are written to the file server. */
export interface Wanted {
  username: string
  permission: number
  basePath: string
  disabled: boolean
}

const fileUserSchema = v.object({
  remoteId: v.number(),
  remoteName: v.string(),
  nextName: v.nullable(v.string()),
  username: v.nullable(v.string()),
  permission: v.nullable(v.number()),
  basePath: v.nullable(v.string()),
  disabled: v.nullable(v.number()),
  writes: v.number(),
  token: v.nullable(v.string()),
  tokenMadeAt: v.number(),
  heldUntil: v.nullable(v.number()),
})

/** The user of the file server as JSON: one column, in the row of the account. */
const fileUserJson = sql<string | null>`(select json_object(
  'remoteId', ${fileUsers.remoteId},
  'remoteName', ${fileUsers.remoteName},
  'nextName', ${fileUsers.nextName},
  'username', ${fileUsers.username},
  'permission', ${fileUsers.permission},
  'basePath', ${fileUsers.basePath},
  'disabled', ${fileUsers.disabled},
  'writes', ${fileUsers.writes},
  'token', ${fileUsers.token},
  'tokenMadeAt', ${fileUsers.tokenMadeAt},
  'heldUntil', (select ${fileLeases.endsAt} from ${fileLeases} where ${fileLeases.userId} = ${users.id})
) from ${fileUsers} where ${fileUsers.userId} = ${users.id})`.as('file_user')

/** Reads the column of `fileUserJson`. */
export function readFileUser(json: string | null): FileUser | undefined {
  if (json === null) return undefined
  const row = v.parse(fileUserSchema, JSON.parse(json))
  const { username, permission, basePath, disabled, ...link } = row
  const isWritten = username !== null && permission !== null && basePath !== null
  const written = isWritten ? { username, permission, basePath, disabled: disabled === 1 } : null
  return { ...link, written }
}

/** Of a site where nothing guards the requests of users. */
export const NO_GUARD: AccountColumn = { sql: sql<string | null>`null` }

const queries = new Map<SQL, ReturnType<typeof makeQueries>>()

function makeQueries(guard: SQL<string | null>) {
  const beside = besideAccount(guard)
  const names = Object.keys({ ...accountColumns, ...beside })
  return {
    ofActor: selectActorWith(beside),
    ofGuest: prepare(
      (db) => selectWithFileUser(db, guard).where(eq(users.role, GUEST)).orderBy(users.id).limit(1),
      { names, readers: accountReaders },
    ),
  }
}

/** The queries are prepared once for each column. */
function queriesWith({ sql: guard }: AccountColumn) {
  const known = queries.get(guard) ?? makeQueries(guard)
  queries.set(guard, known)
  return known
}

/**
 * Selects the account of an actor, the user of the file server, `leaseEnds` and what a guard has to
 * know, in one row.
 */
export function selectFileActor(guard: AccountColumn) {
  const { ofActor } = queriesWith(guard)
  return (db: Database, actor: Actor, now: number) => ofActor(db, actor, now, guard.given)
}

function besideAccount(guard: SQL<string | null>) {
  return { fileUser: fileUserJson, leaseEnds, known: guard.as('known') }
}

const selectWithFileUser = (db: Database, guard = NO_GUARD.sql) =>
  db.select({ ...accountColumns, ...besideAccount(guard) }).from(users)

/** An account, and the columns of `fileUserJson` and `leaseEnds`. */
export type AccountWithFileUser = Account & { fileUser: string | null; leaseEnds: string }

/** @param guard Selects what a guard has to know of the guest. */
export async function findGuestWithFileUser(
  db: Database,
  guard: AccountColumn,
): Promise<(AccountWithFileUser & { known: string | null }) | undefined> {
  const [guest] = await queriesWith(guard).ofGuest(db, { ...guard.given })
  return guest
}

export async function findWithFileUser(
  db: Database,
  userId: number,
): Promise<AccountWithFileUser | undefined> {
  const [found] = await selectWithFileUser(db).where(eq(users.id, userId))
  return found
}

/** Finds the accounts that have one of these ids, in one round trip. */
export async function findAllWithFileUsers(
  db: Database,
  userIds: readonly number[],
): Promise<AccountWithFileUser[]> {
  return selectWithFileUser(db).where(sql`${users.id} in ${idsIn(userIds)}`)
}

/** D1 binds a hundred values at most. */
function idsIn(userIds: readonly number[]): SQL {
  return sql`(select value from json_each(${JSON.stringify(userIds)}))`
}

/** Selects the user of this site whom a user of the file server belongs to, if a condition holds. */
function ownerWith(db: Database, condition?: SQL) {
  return db
    .select({ id: users.id })
    .from(users)
    .where(and(eq(users.id, fileUsers.userId), condition))
}

/**
 * Holds for a user of the file server that has to be written: its owner was deleted, or was changed
 * since the last write. One that was never written waits until it is first used, unless its owner
 * is disabled or has an account that has ended.
 */
function isBehind(db: Database, now: number): SQL | undefined {
  const isDeleted = notExists(ownerWith(db))
  const isChanged = notExists(ownerWith(db, isAsWritten(now)))
  const isDisabled = exists(ownerWith(db, not(isEnabled(now))))
  return and(
    isNull(fileUsers.goneAt),
    or(
      isDeleted,
      and(isNotNull(fileUsers.username), isChanged),
      and(isNull(fileUsers.username), isDisabled),
    ),
  )
}

function isAsWritten(now: number): SQL | undefined {
  return and(
    sql`${users.username} = ${fileUsers.username}`,
    sql`${users.permission} = ${fileUsers.permission}`,
    sql`${users.basePath} = ${fileUsers.basePath}`,
    sql`${isEnabled(now)} <> ${fileUsers.disabled}`,
  )
}

/** The fields that `isBehind` compares. */
const COMPARED = [
  'users',
  ...['username', 'permission', 'basePath', 'disabled', 'endsAt'].map((name) => `users.${name}`),
]

/**
 * Tells whether a request can have changed which users have to be written. To find them, D1 reads a
 * row for each user of the file server.
 */
export function mayBeBehind({ rowsWritten, changes }: Meter): boolean {
  return rowsWritten > 0 && COMPARED.some((field) => changes.has(field))
}

/**
 * Selects the ids of users whose user of the file server has to be written: first all who are
 * disabled, deleted or ended, then some of the others. The order is random, because some may be
 * users who can't be written.
 */
export async function selectBehind(
  db: Database,
  maxOthers: number,
  now: number,
): Promise<number[]> {
  const isEnd = notExists(ownerWith(db, isEnabled(now)))
  const rows = await db
    .select({ userId: fileUsers.userId, isEnd: sql`${isEnd}`.mapWith(Boolean).as('is_end') })
    .from(fileUsers)
    .where(isBehind(db, now))
    .orderBy(sql`is_end desc, random()`)
  const ends = rows.filter((row) => row.isEnd).length
  return rows.slice(0, ends + maxOthers).map(({ userId }) => userId)
}

/** Tells whether a user who is disabled, deleted or ended still has to be written. */
export async function isEndBehind(db: Database, now: number): Promise<boolean> {
  const isEnd = notExists(ownerWith(db, isEnabled(now)))
  const [found] = await db
    .select({ userId: fileUsers.userId })
    .from(fileUsers)
    .where(and(isBehind(db, now), isEnd))
    .limit(1)
  return found !== undefined
}

/** Finds the link of a user, who may be deleted. */
export async function findLink(
  db: Database,
  userId: number,
  now: number,
): Promise<Link | undefined> {
  const [found] = await selectLinks(db, now).where(eq(fileUsers.userId, userId))
  return found
}

/** The user of the file server that belongs to a user of this site. */
export interface Link {
  userId: number
  /** The name of the user of this site; null after its deletion. */
  name: string | null
  remoteId: number
  remoteName: string
  nextName: string | null
  /** The `sub` of the user of this site, also after its deletion; null when it was not recorded. */
  sub: string | null
  /** Whether the user of the file server was ever written. */
  isUsed: boolean
  /** Whether the user of the file server has to be written. */
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
 * Records the name of the user of the file server, and the name that a write is giving it: when the
 * answer is lost, it has one of the two.
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

/** The fields that the file server should have of a user. */
export interface Known extends Pick<Link, 'userId' | 'remoteId' | 'remoteName'> {
  permission: number | null
  basePath: string | null
  disabled: boolean | null
  goneAt: number | null
  sub: string | null
}

/** Lists the users of the file server that were written or deleted, in random order. */
export function listKnown(db: Database): Promise<Known[]> {
  const { userId, remoteId, remoteName, permission, basePath, disabled, goneAt, sub } = fileUsers
  return db
    .select({ userId, remoteId, remoteName, permission, basePath, disabled, goneAt, sub })
    .from(fileUsers)
    .where(or(isNotNull(permission), isNotNull(goneAt)))
    .orderBy(sql`random()`)
}

/** Lists the ids of the users of the file server, of those who were deleted last first. */
export async function listRemoteIds(db: Database): Promise<number[]> {
  const rows = await db
    .select({ remoteId: fileUsers.remoteId })
    .from(fileUsers)
    .orderBy(sql`${fileUsers.goneAt} desc nulls last`)
  return rows.map(({ remoteId }) => remoteId)
}

/**
 * Records that users of the file server differ from what was written, so that they are written
 * again.
 */
export async function recordDrift(db: Database, userIds: number[]): Promise<void> {
  if (userIds.length === 0) return
  const fields = { permission: null, goneAt: null }
  await updateFileUsers(db, fields, sql`${fileUsers.userId} in ${idsIn(userIds)}`)
}

/** Records that a user of the file server was deleted. */
export async function recordGone(db: Database, userId: number, now: number): Promise<void> {
  await updateFileUsers(db, { goneAt: now, token: null }, eq(fileUsers.userId, userId))
}

/** Forgets users of the file server that were deleted before a time. */
export function pruneGone(db: Database, before: number) {
  return writing(db, THE_SERVICE).delete(fileUsers, lt(fileUsers.goneAt, before))
}

export async function deleteFileUser(db: Database, userId: number): Promise<void> {
  await runBatch(db, {
    deleted: writing(db, THE_SERVICE).delete(fileUsers, eq(fileUsers.userId, userId)),
  })
}

/**
 * Tells whether a user has requests at the file server that look at folders by their paths.
 *
 * @param now Unix time, milliseconds.
 */
export async function hasSentRequests(db: Database, userId: number, now: number): Promise<boolean> {
  const { userId: owner, endsAt } = fileRequests
  const sent = await db
    .select({ id: fileRequests.id })
    .from(fileRequests)
    .where(and(eq(owner, userId), gt(endsAt, now)))
    .limit(1)
  return sent.length > 0
}

/**
 * Holds for the row of a user whose base path is in force at the file server, and whom nobody is
 * writing there: of two changes in succession, the first may be in force yet. Admins have no users
 * of their own there.
 *
 * @param now Unix time, milliseconds.
 */
export function hasBasePathThere(db: Database, now: number): SQL | undefined {
  const written = and(eq(fileUsers.userId, users.id), eq(fileUsers.basePath, users.basePath))
  return or(
    eq(users.role, ADMIN),
    and(
      exists(db.select({ id: fileUsers.userId }).from(fileUsers).where(written)),
      notExists(selectHeld(db, users.id, now)),
    ),
  )
}
