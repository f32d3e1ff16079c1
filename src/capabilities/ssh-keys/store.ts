import { and, asc, count, eq, inArray, lt, notExists, or, type SQL, sql } from 'drizzle-orm'
import * as v from 'valibot'
import { sshKeys, users } from '../../../schema/tables.ts'
import { deletionOf } from '../../core/audit/deletions.ts'
import type { AuditEvent } from '../../core/audit/events.ts'
import type { Database } from '../../core/database/database.ts'
import { literal } from '../../core/database/literal.ts'
import { type Authority, writing } from '../../core/database/statements.ts'
import type { UserId } from '../../core/database/user-id.ts'
import type { PageWindow } from '../../core/base/paging.ts'
import { selectActorWith } from '../../core/access/actor-queries.ts'
import type { UndoSlot } from '../../core/access/undo-slot.ts'
import { keepDeleted } from '../../core/access/undo.ts'
import { isMadeWithEnough } from '../../core/access/sign-in-methods.ts'
import { isEnabled, isNotGuest } from '../../core/accounts/conditions.ts'
import { existsUser, isNamed } from '../../core/accounts/store.ts'
import type { PublicKey } from './openssh.ts'

export const MAX_KEYS_PER_USER = 100

const keyColumns = {
  id: sshKeys.id,
  title: sshKeys.title,
  fingerprint: sshKeys.fingerprint,
  type: sshKeys.type,
  bits: sshKeys.bits,
  addedAt: sshKeys.addedAt,
  lastUsedAt: sshKeys.lastUsedAt,
  lastUsedNetwork: sshKeys.lastUsedNetwork,
}

/** Selects a page of a user's keys, by id. `limit` < 0 means all. */
export function selectKeys(db: Database, userId: UserId, { limit, offset }: PageWindow) {
  return db
    .select(keyColumns)
    .from(sshKeys)
    .where(eq(sshKeys.userId, userId))
    .orderBy(asc(sshKeys.id))
    .limit(limit)
    .offset(offset)
}

/** The columns of a key that lists show. */
export type StoredKey = ReturnType<typeof selectKeys>['_']['result'][number]

/** Selects the account of an actor and all keys of its user, in one row. */
export const selectOwnKeys = selectActorWith({ keysAsJson: keysAsJson().as('keys_as_json') })

/**
 * Selects the keys as JSON. They contain only numbers and texts, which are the same in D1 and in
 * JavaScript.
 */
function keysAsJson() {
  const fields = Object.entries(keyColumns).flatMap(([name, column]) => [literal(name), column])
  const key = sql`json_object(${sql.join(fields, sql`, `)})`
  return sql<string>`(select json_group_array(${key} order by ${sshKeys.id}) from ${sshKeys} where ${sshKeys.userId} = ${users.id})`
}

const storedKeysSchema: v.GenericSchema<unknown, StoredKey[]> = v.array(
  v.object({
    id: v.number(),
    title: v.string(),
    fingerprint: v.string(),
    type: v.string(),
    bits: v.number(),
    addedAt: v.number(),
    lastUsedAt: v.number(),
    lastUsedNetwork: v.string(),
  }),
)

/** Reads the keys of `selectOwnKeys`. */
export function readKeys(json: string): StoredKey[] {
  return v.parse(storedKeysSchema, JSON.parse(json))
}

export function countKeys(db: Database, userId: UserId) {
  return db.select({ total: count() }).from(sshKeys).where(eq(sshKeys.userId, userId))
}

/** Selects the keys of a user that have this title or this fingerprint. */
export function selectRivals(db: Database, { userId, title, fingerprint }: KeyPlace) {
  const isRival = or(eq(sshKeys.title, title), eq(sshKeys.fingerprint, fingerprint))
  return db
    .select({ title: sshKeys.title })
    .from(sshKeys)
    .where(and(eq(sshKeys.userId, userId), isRival))
}

/** The values that must be unique for a new key, and the limit. */
interface KeyPlace {
  userId: UserId
  title: string
  fingerprint: string
  /** Maximum number of keys for each user. */
  limit: number
}

/**
 * Holds when title and key are new for this user, who is not the guest and has fewer keys than the
 * limit.
 */
export function hasPlace(db: Database, place: KeyPlace): SQL | undefined {
  const { userId, limit } = place
  const isBelowLimit = lt(sql`(${countKeys(db, userId)})`, limit)
  const mayHaveKeys = existsUser(db, eq(users.id, userId), isNotGuest)
  return and(notExists(selectRivals(db, place)), isBelowLimit, mayHaveKeys)
}

/** @param given `amr`: the methods that it is made with. */
export function insertKey(
  db: Database,
  by: Authority,
  place: KeyPlace,
  { fingerprint, type, bits, line }: PublicKey,
  { now, amr }: { now: number; amr: SQL },
) {
  const { userId, title } = place
  const times = { addedAt: now, lastUsedAt: now }
  return writing(db, by)
    .insert(
      sshKeys,
      { userId, title, fingerprint, type, bits, line, amr, ...times },
      { where: hasPlace(db, place) },
    )
    .returning({ id: sshKeys.id })
}

/** Holds for a key of a user; without `keyId`, for every key; without `userId`, of any user. */
export function isKeyOf(userId: UserId | undefined, keyId: number | undefined): SQL | undefined {
  if (userId === undefined && keyId === undefined) throw new TypeError('these are all keys')
  return and(
    userId === undefined ? undefined : eq(sshKeys.userId, userId),
    keyId === undefined ? undefined : eq(sshKeys.id, keyId),
  )
}

/** Keeps keys that are about to be deleted. See `keepDeleted`. */
export function keepKeys(
  db: Database,
  by: Authority,
  slot: UndoSlot | undefined,
  which: SQL | undefined,
  now: number,
) {
  const titles = sql`(select group_concat(${sshKeys.title}, ', ') from ${sshKeys} where ${which})`
  const rows = [[sshKeys, which]] as const
  return keepDeleted(db, by, slot, { kind: 'ssh_key', name: titles, rows }, now)
}

/** Returns the statements that delete keys and write an event for each. */
export function keyDeletion(
  db: Database,
  by: Authority,
  which: SQL | undefined,
  event: AuditEvent,
) {
  return deletionOf(db, by, sshKeys, which, event, sshKeys.title)
}

/** Selects the keys with which a user may sign in to a file server, and the user's permission. */
export function selectSignInKeys(
  db: Database,
  username: string,
  fingerprint: string | undefined,
  now: number,
) {
  const isOffered = fingerprint === undefined ? undefined : eq(sshKeys.fingerprint, fingerprint)
  return db
    .select({
      line: sshKeys.line,
      lastUsedAt: sshKeys.lastUsedAt,
      permission: users.permission,
    })
    .from(sshKeys)
    .innerJoin(users, eq(users.id, sshKeys.userId))
    .where(
      and(isNamed(username), isEnabled(now), isNotGuest, isMadeWithEnough(sshKeys.amr), isOffered),
    )
    .orderBy(asc(sshKeys.id))
}

/** Sets when and from which network a user's key was last used. */
export function markKeyUsed(
  db: Database,
  by: Authority,
  use: { username: string; fingerprint: string; network: string },
  now: number,
) {
  const { username, fingerprint, network } = use
  const owner = db.select({ id: users.id }).from(users).where(isNamed(username))
  const isUsed = and(inArray(sshKeys.userId, owner), eq(sshKeys.fingerprint, fingerprint))
  return writing(db, by)
    .update(sshKeys, { lastUsedAt: now, lastUsedNetwork: network }, isUsed)
    .returning({ userId: sshKeys.userId, title: sshKeys.title })
}
