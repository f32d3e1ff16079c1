import {
  and,
  asc,
  count,
  eq,
  exists,
  inArray,
  lt,
  ne,
  notExists,
  or,
  type SQL,
  sql,
} from 'drizzle-orm'
import { auditEvents, sshKeys, users } from '../../schema/tables.ts'
import { type AuditEvent, eventRow, insertEvent } from '../audit/events.ts'
import type { Database } from '../database/database.ts'
import type { Deps } from '../deps.ts'
import type { PageWindow } from '../base/paging.ts'
import { isService } from '../access/service-tokens.ts'
import { isOperator, type Operator } from '../access/operators.ts'
import { selectActorWith } from '../access/act-as.ts'
import type { FreshnessDeps } from '../access/freshness.ts'
import { isFresh, isLive } from '../access/session-store.ts'
import type { SessionClaims } from '../access/token.ts'
import { GUEST } from '../accounts/roles.ts'
import { isNamed } from '../accounts/store.ts'
import type { PublicKey } from './openssh.ts'

const keyColumns = {
  id: sshKeys.id,
  title: sshKeys.title,
  fingerprint: sshKeys.fingerprint,
  type: sshKeys.type,
  bits: sshKeys.bits,
  addedAt: sshKeys.addedAt,
  lastUsedAt: sshKeys.lastUsedAt,
}

/** Some keys of a user, by id. `limit` < 0 means all. */
export function selectKeys(db: Database, userId: number, { limit, offset }: PageWindow) {
  return db
    .select(keyColumns)
    .from(sshKeys)
    .where(eq(sshKeys.userId, userId))
    .orderBy(asc(sshKeys.id))
    .limit(limit)
    .offset(offset)
}

/** A key as lists show it. */
export type StoredKey = ReturnType<typeof selectKeys>['_']['result'][number]

/** The account of a session and all keys of its user, in one row. */
export const selectOwnKeys = selectActorWith({ keys: keysAsJson().as('keys') })

/** Of numbers and texts only, which are the same in D1 and here. */
function keysAsJson() {
  const fields = Object.entries(keyColumns).flatMap(([name, column]) => [
    sql.raw(`'${name}'`),
    column,
  ])
  const key = sql`json_object(${sql.join(fields, sql`, `)})`
  return sql`(select json_group_array(${key} order by ${sshKeys.id}) from ${sshKeys} where ${sshKeys.userId} = ${users.id})`.mapWith(
    (json: string): StoredKey[] => JSON.parse(json),
  )
}

export function countKeys(db: Database, userId: number) {
  return db.select({ total: count() }).from(sshKeys).where(eq(sshKeys.userId, userId))
}

/** The keys of a user that have this title or this fingerprint. */
export function selectRivals(db: Database, userId: number, title: string, fingerprint: string) {
  return db
    .select({ title: sshKeys.title })
    .from(sshKeys)
    .where(
      and(
        eq(sshKeys.userId, userId),
        or(eq(sshKeys.title, title), eq(sshKeys.fingerprint, fingerprint)),
      ),
    )
}

/**
 * Adds a key to the session's user; no row when title or key are there already, when the user has
 * `limit` keys, or when the session is not fresh.
 */
export function insertKey(
  deps: Pick<Deps, 'db'> & FreshnessDeps,
  session: SessionClaims,
  { title, key, limit }: { title: string; key: PublicKey; limit: number },
  now: number,
) {
  const { db } = deps
  const row = db
    .select({
      id: sql`null`.as('id'),
      userId: users.id,
      title: sql`${title}`.as('title'),
      fingerprint: sql`${key.fingerprint}`.as('fingerprint'),
      type: sql`${key.type}`.as('type'),
      bits: sql`${key.bits}`.as('bits'),
      line: sql`${key.line}`.as('line'),
      addedAt: sql`${now}`.as('added_at'),
      lastUsedAt: sql`${now}`.as('last_used_at'),
    })
    .from(users)
    .where(
      and(
        eq(users.id, session.userId),
        isFresh(deps, session, now),
        lt(sql`(${countKeys(db, session.userId)})`, limit),
      ),
    )
  return db.insert(sshKeys).select(row).onConflictDoNothing().returning({ id: sshKeys.id })
}

/** A key of the session's user, while the session is live. */
export function isOwnKey(db: Database, session: SessionClaims, keyId: number, now: number) {
  return and(eq(sshKeys.id, keyId), eq(sshKeys.userId, session.userId), isLive(db, session, now))
}

/** Every key of the session's user, while the session is live. */
export function isOfOwner(db: Database, session: SessionClaims, now: number) {
  return and(eq(sshKeys.userId, session.userId), isLive(db, session, now))
}

/** Every key of a user, for an operator to deal with. */
export function isOfUser(db: Database, operator: Operator, userId: number, now: number) {
  return and(eq(sshKeys.userId, userId), isOperator(db, operator, now))
}

/** A key for an operator to deal with; of this user, if that was said. */
export function isAnyKey(
  db: Database,
  operator: Operator,
  keyId: number,
  userId: number | undefined,
  now: number,
) {
  const isOwner = userId === undefined ? undefined : eq(sshKeys.userId, userId)
  return and(eq(sshKeys.id, keyId), isOwner, isOperator(db, operator, now))
}

/**
 * Remembers, with the user whose key it is, that the key goes; stands before `deleteKey` in a
 * batch.
 */
export function insertDeletionEvent(db: Database, isKey: SQL | undefined, event: AuditEvent) {
  const row = db
    .select({ ...eventRow(event), userId: sshKeys.userId, detail: sshKeys.title })
    .from(sshKeys)
    .where(isKey)
  return db.insert(auditEvents).select(row)
}

/** Removes the key that a condition names. */
export function deleteKey(db: Database, isKey: SQL | undefined) {
  return db.delete(sshKeys).where(isKey).returning({ userId: sshKeys.userId, title: sshKeys.title })
}

/** The keys with which a user may sign in elsewhere now, and what that user may do there. */
export function selectSignInKeys(db: Database, username: string, fingerprint: string | undefined) {
  const isOffered = fingerprint === undefined ? undefined : eq(sshKeys.fingerprint, fingerprint)
  return db
    .select({
      line: sshKeys.line,
      lastUsedAt: sshKeys.lastUsedAt,
      permission: users.permission,
    })
    .from(sshKeys)
    .innerJoin(users, eq(users.id, sshKeys.userId))
    .where(and(isNamed(username), eq(users.disabled, false), ne(users.role, GUEST), isOffered))
    .orderBy(asc(sshKeys.id))
}

/** Moves the time of the last use, for a server that may say so. */
export function markKeyUsed(
  db: Database,
  tokenHash: string,
  username: string,
  fingerprint: string,
  now: number,
) {
  const owner = db.select({ id: users.id }).from(users).where(isNamed(username))
  return db
    .update(sshKeys)
    .set({ lastUsedAt: now })
    .where(
      and(
        inArray(sshKeys.userId, owner),
        eq(sshKeys.fingerprint, fingerprint),
        exists(isService(db, tokenHash, 'sftp:keys')),
      ),
    )
    .returning({ userId: sshKeys.userId, title: sshKeys.title })
}

/** As far back as is looked for a sign-in: an account has thousands of events. */
const LATEST_EVENTS = 20

/** A password of this user that was accepted for a server, from this network, after `since`. */
export function selectRecentSignIn(db: Database, username: string, network: string, since: number) {
  const user = db.select({ id: users.id }).from(users).where(isNamed(username))
  const latest = sql`(select kind, network, at from ${auditEvents} where user_id = ${user} order by id desc limit ${LATEST_EVENTS})`
  return db
    .select({ at: sql<number>`at` })
    .from(latest)
    .where(sql`kind = 'service_sign_in' and network = ${network} and at > ${since}`)
}

/** Remembers that a server's user was let in, unless that is remembered since `since` already. */
export function insertServiceSignIn(
  db: Database,
  username: string,
  event: AuditEvent,
  since: number,
) {
  const recent = selectRecentSignIn(db, username, event.network, since)
  return insertEvent(db, event, notExists(recent))
}
