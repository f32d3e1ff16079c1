import { and, count, eq, exists, ne, not, notExists, or, sql } from 'drizzle-orm'
import { reservedNames, users } from '../../../schema/tables.ts'
import {
  type ChangeEvent,
  insertEventsOfChange,
  textChange,
} from '../../core/audit/change-events.ts'
import type { AuditEvent } from '../../core/audit/events.ts'
import { literal } from '../../core/database/literal.ts'
import { type Authority, writing } from '../../core/database/statements.ts'
import type { Database } from '../../core/deps.ts'
import { isAdmin } from '../../core/accounts/conditions.ts'
import { NAMES_FILES } from '../../core/accounts/roles.ts'
import { hasAllKeys } from '../../core/accounts/folders.ts'
import { selectReservation } from '../../core/accounts/reserved-names.ts'
import { hasClients } from '../../core/accounts/known-names.ts'
import { selectSameName } from '../../core/accounts/store.ts'
import { hasOtherWayIn, isFreeFor, type ProvenIdentity } from '../../core/access/identities.ts'
import { isProvenChange } from '../users/guarded-fields.ts'
import { usernameKey } from '../../core/accounts/username.ts'

/** The fields that users may change in their own record. */
export interface ProfileChange {
  username?: string
  /** Empty to unlink every identity. */
  ssoId?: string
  /** The identity to link, which has this `ssoId`. */
  identity?: ProvenIdentity
  /** PHC string. */
  passwordHash?: string
}

/**
 * Changes the record of a user. Returns no row when another user has the name, or when a general
 * user asks for a new name although files on other servers belong to the present one.
 *
 * @param isProven The condition on the session for a new name, SSO id or password.
 */
export function updateProfile(
  db: Database,
  by: Authority,
  userId: number,
  change: ProfileChange,
  now: number,
  isProven: Authority,
) {
  const { username, ssoId, passwordHash } = change
  const set = {
    // A statement must set at least one column. The id keeps its value.
    id: sql`${users.id}`,
    ...(username !== undefined && { username, usernameKey: usernameKey(username) }),
    ...(ssoId !== undefined && { ssoId }),
    ...(passwordHash !== undefined && { passwordHash, passwordChangedAt: now }),
  }
  return writing(db, by)
    .update(users, set, mayUpdate(db, userId, change, isProven))
    .returning({ id: users.id })
}

/**
 * Writes the events of `updateProfile` with the old and new values. The statement stands before it
 * and has the same condition.
 */
export function insertEventsOfProfile(
  db: Database,
  by: Authority,
  userId: number,
  change: ProfileChange,
  event: AuditEvent,
  isProven: Authority,
) {
  const { username, ssoId, passwordHash } = change
  const fields = [
    textChange('username', users.username, username),
    textChange('sso_id', users.ssoId, ssoId),
  ].flat()
  const kinds: ChangeEvent[] = [
    { kind: 'password_changed', fields: [], always: passwordHash !== undefined },
    { kind: 'profile_changed', fields },
  ]
  return insertEventsOfChange(db, by, event, kinds, mayUpdate(db, userId, change, isProven))
}

/**
 * Holds when `updateProfile` changes the record, and for a request that unlinks only when something
 * is linked: the stock client sends an empty `sso_id` with every change of a user without one.
 */
export function willUpdateProfile(
  db: Database,
  userId: number,
  change: ProfileChange,
  isProven: Authority,
) {
  const isLinked = change.ssoId === '' ? ne(users.ssoId, '') : undefined
  const own = db.select({ id: users.id }).from(users)
  return exists(own.where(and(mayUpdate(db, userId, change, isProven), isLinked)))
}

/** Holds for the row that `updateProfile` changes. */
function mayUpdate(db: Database, userId: number, change: ProfileChange, isProven: Authority) {
  const { username } = change
  return and(
    eq(users.id, userId),
    isProvenChange(change, isProven),
    username === undefined ? undefined : mayBeNamed(db, username, userId),
    mayHaveSsoId(db, userId, change),
  )
}

/** Holds for the present `sso_id`, for a proven one, and for none where another way in stays. */
function mayHaveSsoId(db: Database, userId: number, { ssoId, identity }: ProfileChange) {
  if (ssoId === undefined) return undefined
  if (identity !== undefined) return isFreeFor(db, identity, userId)
  return or(eq(users.ssoId, ssoId), ssoId === '' ? hasOtherWayIn(db, userId) : undefined)
}

/**
 * Holds when the name is free, and no programs and no files on other servers depend on the present
 * one.
 */
function mayBeNamed(db: Database, username: string, userId: number) {
  return or(
    eq(users.username, username),
    and(
      notExists(selectSameName(db, username, userId)),
      notExists(selectReservation(db, username, userId)),
      hasAllKeys(db),
      holdsFewNames(db, userId, username),
      not(hasClients(db)),
      or(isAdmin, sql`(${users.permission} & ${NAMES_FILES}) = 0`),
    ),
  )
}

/** Names of former times that are reserved for a user. Each new name reserves the one before. */
const MAX_HELD_NAMES = 10

/**
 * Holds when a new name leaves a bounded number of names reserved for a user, who could otherwise
 * take one name after the other from everybody else. A name that the user holds already is no
 * further one. Operators may rename users as often as they want, and admins themselves.
 */
function holdsFewNames(db: Database, userId: number, username: string) {
  const { usernameKey: key, userId: owner } = reservedNames
  const held = db.select({ key }).from(reservedNames)
  const isOwn = eq(owner, userId)
  const total = db.select({ total: count() }).from(reservedNames).where(isOwn)
  return or(
    isAdmin,
    eq(users.usernameKey, usernameKey(username)),
    exists(held.where(and(eq(key, usernameKey(username)), isOwn))),
    sql`(${total}) < ${literal(MAX_HELD_NAMES)}`,
  )
}

/** Selects a user for whom a new name would be one too many. */
export function selectHoldingTooMany(db: Database, userId: number, username: string) {
  const isOver = not(sql`(${holdsFewNames(db, userId, username)})`)
  return db
    .select({ id: users.id })
    .from(users)
    .where(and(eq(users.id, userId), isOver))
}

export function selectPasswordHash(db: Database, userId: number) {
  return db.select({ passwordHash: users.passwordHash }).from(users).where(eq(users.id, userId))
}
