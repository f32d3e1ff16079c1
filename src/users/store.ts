import {
  and,
  between,
  count,
  eq,
  exists,
  isNotNull,
  ne,
  not,
  notExists,
  or,
  type SQL,
  sql,
} from 'drizzle-orm'
import { alias, type SQLiteColumn } from 'drizzle-orm/sqlite-core'
import { auditEvents, users } from '../../schema/tables.ts'
import { type ChangeEvent, type FieldChange, insertEventsOfChange } from '../audit/change-events.ts'
import { afterChange, type AuditEvent, eventRow } from '../audit/events.ts'
import type { Database } from '../deps.ts'
import type { PageWindow } from '../base/paging.ts'
import { isOperator, type Operator } from '../access/operators.ts'
import { selectAccounts } from '../accounts/accounts.ts'
import { ADMIN, GUEST } from '../accounts/roles.ts'
import { selectSameName } from '../accounts/store.ts'
import { usernameKey } from '../accounts/username.ts'

const MAX_NAMES_LIKE = 20_000

/** What an operator may set of a user; what is missing stays as it is. */
export interface UserChange {
  username?: string
  role?: number
  basePath?: string
  disabled?: boolean
  permission?: number | PermissionChange
  ssoId?: string
  /** PHC string. */
  passwordHash?: string
}

/** Of the table, or of an alias of it. */
type UserColumns = Record<'role' | 'disabled' | 'passwordHash', SQLiteColumn>

/** Bits to set and bits to clear; the others stay as they are. */
export interface PermissionChange {
  set: number
  clear: number
}

/** What a new user is. */
export type NewUser = Required<Omit<UserChange, 'permission' | 'passwordHash'>> & {
  permission: number
  passwordHash: string | null
}

/** @param search A part of the name, as in `isNamedLike`. */
export function selectUsers(db: Database, search: string, { limit, offset }: PageWindow) {
  return selectAccounts(db).where(isNamedLike(search)).orderBy(users.id).limit(limit).offset(offset)
}

/** @param search As in `selectUsers`. */
export function countUsers(db: Database, search: string) {
  return db.select({ total: count() }).from(users).where(isNamedLike(search))
}

/**
 * The name has this in it, in any case; nothing is in every name. `LIKE` would give `%` and `_` a
 * meaning, and D1 takes no pattern over 50 bytes.
 */
function isNamedLike(search: string) {
  if (search === '') return undefined
  return sql`instr(${users.usernameKey}, ${usernameKey(search)}) > 0`
}

/** Names about as long as this one, among which to find what was meant. */
export function selectNamesLike(db: Database, username: string, slack: number) {
  const length = Array.from(username).length
  return db
    .select({ username: users.username })
    .from(users)
    .where(between(sql`length(${users.username})`, length - slack, length + slack))
    .orderBy(users.id)
    .limit(MAX_NAMES_LIKE)
}

/** Makes a user, if `when` holds; no row when the name is taken. */
export function insertUser(
  db: Database,
  operator: Operator,
  user: NewUser,
  now: number,
  when?: SQL,
) {
  const values = sql.join(
    [
      sql`null`,
      sql`${user.username}`,
      sql`${usernameKey(user.username)}`,
      sql`${user.passwordHash}`,
      sql`0`,
      sql`${user.role}`,
      sql`${user.permission}`,
      sql`${user.basePath}`,
      sql`${Number(user.disabled)}`,
      sql`${user.ssoId}`,
      sql`null, 0, null, 0`,
      sql`${now}`,
      sql`null`,
    ],
    sql`, `,
  )
  // In the order of the table's columns, as Drizzle writes them.
  return db
    .insert(users)
    .select(sql`select ${values} where ${and(isOperator(db, operator, now), when)}`)
    .onConflictDoNothing()
    .returning({ id: users.id })
}

/** Remembers that the user of the statement before was made, if one was. */
export function insertEventOfNewUser(db: Database, event: AuditEvent) {
  const row = db
    .select({ ...eventRow(event), userId: sql`last_insert_rowid()`.as('user_id') })
    .from(sql`(select 1)`)
    .where(afterChange)
  return db.insert(auditEvents).select(row)
}

/**
 * Changes a user; no row when the name is taken, the id unknown, or no admin who can sign in would
 * be left.
 *
 * @param isProven What a new role or a new password asks of the operator's session.
 */
export function updateUser(
  db: Database,
  operator: Operator,
  userId: number,
  change: UserChange,
  now: number,
  isProven: SQL,
) {
  const { permission, ...columns } = change
  return db
    .update(users)
    .set({
      // A statement must set something; the id stays what it is.
      id: sql`${users.id}`,
      ...columns,
      ...(permission !== undefined && { permission: permissionAfter(permission) }),
      ...(change.username !== undefined && { usernameKey: usernameKey(change.username) }),
      ...(change.passwordHash !== undefined && { passwordChangedAt: now }),
    })
    .where(mayUpdate(db, operator, userId, change, now, isProven))
    .returning({ id: users.id })
}

/** Remembers what `updateUser` is about to change; stands before it in the batch. */
export function insertEventsOfUpdate(
  db: Database,
  operator: Operator,
  userId: number,
  change: UserChange,
  event: AuditEvent,
  isProven: SQL,
) {
  const kinds = kindsOf(change).filter(({ fields, always }) => always === true || fields.length > 0)
  const mayBe = mayUpdate(db, operator, userId, change, event.at, isProven)
  return insertEventsOfChange(db, event, kinds, mayBe)
}

/** What an operator would look for has a kind of its own. */
function kindsOf(change: UserChange): ChangeEvent[] {
  const { username, role, basePath, disabled, permission, ssoId, passwordHash } = change
  const others = [
    textChange('username', users.username, username),
    permission === undefined ? [] : permissionChange(permission),
    textChange('base_path', users.basePath, basePath),
    textChange('sso_id', users.ssoId, ssoId),
  ].flat()
  return [
    { kind: 'role_changed', fields: numberChange('role', users.role, role) },
    {
      kind: disabled === true ? 'user_disabled' : 'user_enabled',
      fields: numberChange('disabled', users.disabled, disabled),
    },
    // A hash tells nothing: every new password is a change.
    { kind: 'password_reset', fields: [], always: passwordHash !== undefined },
    { kind: 'user_changed', fields: others },
  ]
}

function textChange(
  field: FieldChange['field'],
  from: SQLiteColumn,
  to: string | undefined,
): FieldChange[] {
  return to === undefined ? [] : [{ field, from, to: sql`${to}` }]
}

/** D1 takes every number for a fraction, which would be shown as one. */
function numberChange(
  field: FieldChange['field'],
  from: SQLiteColumn,
  to: number | boolean | undefined,
): FieldChange[] {
  return to === undefined ? [] : [{ field, from, to: sql`cast(${Number(to)} as integer)` }]
}

function permissionChange(permission: number | PermissionChange): FieldChange[] {
  const to = sql`cast(${permissionAfter(permission)} as integer)`
  return [{ field: 'permission', from: users.permission, to }]
}

/** The condition of `updateUser`. */
function mayUpdate(
  db: Database,
  operator: Operator,
  userId: number,
  change: UserChange,
  now: number,
  isProven: SQL,
) {
  const isFree =
    change.username === undefined
      ? undefined
      : notExists(selectSameName(db, change.username, userId))
  return and(
    eq(users.id, userId),
    isOperator(db, operator, now),
    change.passwordHash === undefined ? undefined : isProven,
    change.role === undefined ? undefined : or(eq(users.role, change.role), isProven),
    isFree,
    losesAdmin(change) ? isNotLastAdmin(db) : undefined,
  )
}

function permissionAfter(change: number | PermissionChange): SQL {
  if (typeof change === 'number') return sql`${change}`
  return sql`((${users.permission} | ${change.set}) & ~${change.clear})`
}

/** Removes a user, with all that is theirs; never the guest, nor the last admin who can sign in. */
export function deleteUser(db: Database, operator: Operator, userId: number, now: number) {
  return db
    .delete(users)
    .where(mayDelete(db, operator, userId, now))
    .returning({ id: users.id })
}

/** Remembers who is about to go by `deleteUser`; stands before it in the batch. */
export function insertEventOfDeletion(
  db: Database,
  operator: Operator,
  userId: number,
  event: AuditEvent,
) {
  const fields: FieldChange[] = [
    { field: 'username', from: users.username, to: sql`null` },
    { field: 'role', from: users.role, to: sql`null` },
  ]
  const kinds = [{ kind: event.kind, fields }]
  return insertEventsOfChange(db, event, kinds, mayDelete(db, operator, userId, event.at))
}

/** The condition of `deleteUser`. */
function mayDelete(db: Database, operator: Operator, userId: number, now: number) {
  return and(
    eq(users.id, userId),
    ne(users.role, GUEST),
    isNotLastAdmin(db),
    isOperator(db, operator, now),
  )
}

/** Switches the two-step verification of a user off; a user without it is changed as well. */
export function cancelTwoFactor(db: Database, userId: number, isAllowed: SQL) {
  return db
    .update(users)
    .set({ totpSeed: null, pendingTotpSeed: null, pendingTotpExpiresAt: 0 })
    .where(and(eq(users.id, userId), isAllowed))
    .returning({ id: users.id })
}

/** Remembers what `cancelTwoFactor` is about to do; stands before it in the batch. */
export function insertEventOfCancelling(
  db: Database,
  userId: number,
  event: AuditEvent,
  isAllowed: SQL,
) {
  const otp: FieldChange = { field: 'otp', from: sql`(${isNotNull(users.totpSeed)})`, to: sql`0` }
  const mayCancel = and(eq(users.id, userId), isAllowed)
  // Sessions end all the same, so there is an event as well where it was off.
  return insertEventsOfChange(
    db,
    event,
    [{ kind: event.kind, fields: [otp], always: true }],
    mayCancel,
  )
}

/** @returns Whether who is an admin would be one no more, or not be let in. */
function losesAdmin({ role, disabled }: UserChange): boolean {
  return disabled === true || (role !== undefined && role !== ADMIN)
}

/** The row is of nobody who can sign in as an admin, or somebody else can. */
function isNotLastAdmin(db: Database) {
  const others = alias(users, 'others')
  const otherAdmins = db
    .select({ id: others.id })
    .from(others)
    .where(and(isUsableAdmin(others), ne(others.id, users.id)))
  return or(not(isUsableAdmin(users)), exists(otherAdmins))
}

/** An admin who is not let in, or has no password, runs no site. */
function isUsableAdmin({ role, disabled, passwordHash }: UserColumns): SQL {
  return sql`(${eq(role, ADMIN)} and ${eq(disabled, false)} and ${isNotNull(passwordHash)})`
}
