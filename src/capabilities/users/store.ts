import {
  and,
  eq,
  exists,
  isNotNull,
  isNull,
  ne,
  not,
  notExists,
  or,
  type SQL,
  sql,
} from 'drizzle-orm'
import { alias, type SQLiteColumn } from 'drizzle-orm/sqlite-core'
import {
  appPasswords,
  auditEvents,
  groupMembers,
  identities,
  noticeChannels,
  passkeys,
  recoveryCodes,
  sshKeys,
  users,
} from '../../../schema/tables.ts'
import { appPasswordDeletion, isAppPasswordOfUser } from '../../core/access/app-password-store.ts'
import { deleteSessions, tellingPrograms } from '../../core/access/endings.ts'
import type { Operator } from '../../core/access/operators.ts'
import { includesScope } from '../../core/access/includes-scope.ts'
import { isSessionOf } from '../../core/access/session-store.ts'
import type { UndoSlot } from '../../core/access/undo-slot.ts'
import { keepDeleted } from '../../core/access/undo.ts'
import { isNameOfFiles } from '../../core/accounts/chosen-names.ts'
import { isDisabled, isNotGuest } from '../../core/accounts/conditions.ts'
import { folderColumns } from '../../core/accounts/folders.ts'
import { selectReservationByProgram } from '../../core/accounts/reserved-names.ts'
import { ADMIN, GUEST } from '../../core/accounts/roles.ts'
import { existsUser, isNamed, selectSameName } from '../../core/accounts/store.ts'
import { usernameKey } from '../../core/accounts/username.ts'
import {
  type ChangeEvent,
  type FieldChange,
  insertEventsOfChange,
  textChange,
} from '../../core/audit/change-events.ts'
import { type AuditEvent, insertEvents } from '../../core/audit/events.ts'
import { literal } from '../../core/database/literal.ts'
import { type Authority, THE_SERVICE, writing } from '../../core/database/statements.ts'
import type { Database } from '../../core/deps.ts'
import { identityUnlinking } from '../../core/access/identities.ts'
import { isEnrolled } from '../two-factor/store.ts'
import {
  type ChangedFields,
  isProvenChange,
  permissionAfter,
  type PermissionChange,
} from './guarded-fields.ts'
import { NOBODY } from '../../core/database/user-id.ts'

/** The fields of a user that an operator may set. A missing field stays unchanged. */
export type UserChange = ChangedFields

/** Columns of the table `users` or of an alias of it. */
type UserColumns = Record<'role' | 'disabled' | 'passwordHash', SQLiteColumn>

/** The fields of a new user. */
export type NewUser = Required<Omit<UserChange, 'permission' | 'passwordHash'>> & {
  permission: number
  passwordHash: string | null
  email?: string
}

/** Adds a user. Returns no row when the name is taken or reserved. */
export function insertUser(db: Database, by: Authority, user: NewUser, now: number) {
  const row = {
    ...user,
    ...folderColumns(user.basePath),
    usernameKey: usernameKey(user.username),
    createdAt: now,
  }
  const isFree = notExists(selectReservationByProgram(db, user.username, NOBODY))
  return writing(db, by)
    .insert(users, row, { where: isFree })
    .onConflictDoNothing()
    .returning({ id: users.id })
}

/**
 * Writes the event of a new user. The statement stands after `insertUser`, because only then does
 * the user have an id. An older user with this name has another creation time or already has an
 * event.
 */
export function insertEventOfNewUser(
  db: Database,
  by: Authority,
  username: string,
  event: AuditEvent,
) {
  const earlier = db
    .select({ id: auditEvents.id })
    .from(auditEvents)
    .where(eq(auditEvents.userId, users.id))
  const isNew = and(isNamed(username), eq(users.createdAt, event.at), notExists(earlier))
  return insertEvents(db, by, event, { userId: users.id }, { from: users, where: isNew })
}

/** Changes the user that `may` holds for (`mayUpdate`). Returns no row when there is none. */
export function updateUser(
  db: Database,
  by: Authority,
  change: UserChange,
  now: number,
  may: SQL | undefined,
) {
  const { permission, ...columns } = change
  const set = {
    // A statement must set at least one column. The id keeps its value.
    id: sql`${users.id}`,
    ...columns,
    ...(change.basePath !== undefined && folderColumns(change.basePath)),
    ...(permission !== undefined && { permission: permissionAfter(permission) }),
    ...(change.username !== undefined && { usernameKey: usernameKey(change.username) }),
    ...(change.passwordHash !== undefined && { passwordChangedAt: now }),
    // To enable a user who waits for an approval is to approve the user.
    ...(change.disabled === false && { waiting: false }),
  }
  const update = writing(db, by).update(users, set, may).returning({ id: users.id })
  // A role that is lost ends what programs for admins got (a trigger of migration 0011).
  return change.role === undefined ? update : tellingPrograms(update)
}

/**
 * Writes the events of `updateUser`. The statement stands before it, because it reads the old
 * values.
 */
export function insertEventsOfUpdate(
  db: Database,
  by: Authority,
  change: UserChange,
  event: AuditEvent,
  may: SQL | undefined,
) {
  const kinds = changeEvents(change).filter(
    ({ fields, always }) => always === true || fields.length > 0,
  )
  return insertEventsOfChange(db, by, event, kinds, may)
}

/**
 * Returns the statements that unlink the identities of a user who gets another `sso_id`, except one
 * that the new text names. A text that nobody has proven links nothing: it is a claim, which the
 * user confirms. The statements stand before the update, because they read the old text.
 *
 * @returns Parts of a batch; none for a change that keeps `sso_id`.
 */
export function unlinkIdentitiesOfChanged(
  db: Database,
  by: Authority,
  operator: Operator,
  userId: number,
  change: UserChange,
  event: AuditEvent,
  may: SQL | undefined,
) {
  const { ssoId } = change
  if (ssoId === undefined) return {}
  const isChanged = existsUser(db, may, ne(users.ssoId, ssoId))
  const when = and(isChanged, ne(identities.subject, ssoId))
  const unlinked = { ...event, kind: 'identity_unlinked' as const }
  return identityUnlinking(db, by, userId, undefined, unlinked, when, { actor: operator })
}

/**
 * Ends every session of a user who has a new password or is disabled. The statement stands after
 * the update and reads the changed row, not the actor's session, because operators who disable
 * themselves no longer have a live session.
 *
 * @returns `undefined` for a change that ends no session.
 */
export function deleteSessionsOfChanged(
  db: Database,
  userId: number,
  { disabled, passwordHash }: Pick<UserChange, 'disabled' | 'passwordHash'>,
) {
  if (disabled !== true && passwordHash === undefined) return undefined
  const isChanged = existsUser(
    db,
    eq(users.id, userId),
    disabled === true ? isDisabled : undefined,
    // A hash has a random salt, so no other request can have written the same hash.
    passwordHash === undefined ? undefined : eq(users.passwordHash, passwordHash),
  )
  return deleteSessions(db, THE_SERVICE, and(isSessionOf(userId), isChanged))
}

/**
 * Deletes every app password of a user who is disabled, so that enabling the user revives none, and
 * those of scope `admin` of a user who is no longer an admin. The statements stand after the update
 * and read the changed row, not the actor's session.
 *
 * @returns Parts of a batch; none for a change that deletes none.
 */
export function deleteAppPasswordsOfChanged(
  db: Database,
  userId: number,
  { disabled, role }: Pick<UserChange, 'disabled' | 'role'>,
  event: AuditEvent,
) {
  const isDemotion = role !== undefined && role !== ADMIN
  if (disabled !== true && !isDemotion) return {}
  const has = (state: SQL) => existsUser(db, eq(users.id, userId), state)
  const which = or(
    disabled === true ? has(isDisabled) : undefined,
    isDemotion
      ? and(has(ne(users.role, ADMIN)), includesScope(appPasswords.scopes, 'admin'))
      : undefined,
  )
  const ofToken = { ...event, kind: 'token_deleted' as const }
  const owned = and(isAppPasswordOfUser(userId), which)
  const { deletionEvents, deleted } = appPasswordDeletion(db, THE_SERVICE, owned, ofToken)
  return { tokenEvents: deletionEvents, deletedTokens: deleted }
}

/** Returns the events of a change. A change that operators search for has its own kind. */
function changeEvents(change: UserChange): ChangeEvent[] {
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
    // The hash is not compared: every new password counts as a change.
    { kind: 'password_reset', fields: [], always: passwordHash !== undefined },
    { kind: 'user_changed', fields: others },
  ]
}

/** Casts a number, because D1 binds every number as a fraction and would show `1` as `1.0`. */
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

/** Under what a user is changed. */
interface Expectation {
  /** The condition on the operator's session for a guarded field. */
  isProven: Authority
  /** The role that the user must have; `undefined` for any. */
  expectedRole: number | undefined
  /** The name that the user must have; `undefined` for any. */
  expectedName: string | undefined
}

/**
 * Holds for the row of a user that a change fits: the name is free and none of the file server, the
 * role may be set, the guest gets no password, and an admin who can sign in is left.
 */
export function mayUpdate(
  db: Database,
  userId: number,
  change: UserChange,
  { isProven, expectedRole, expectedName }: Expectation,
): SQL | undefined {
  const { role } = change
  const isFree =
    change.username === undefined
      ? undefined
      : and(
          notExists(selectSameName(db, change.username, userId)),
          notExists(selectReservationByProgram(db, change.username, userId)),
          isNameOfFiles(change.username) ? eq(users.username, change.username) : undefined,
        )
  return and(
    eq(users.id, userId),
    isProvenChange(change, isProven),
    isFree,
    expectedRole === undefined ? undefined : eq(users.role, expectedRole),
    expectedName === undefined ? undefined : eq(users.username, expectedName),
    role === undefined
      ? undefined
      : or(eq(users.role, role), role === GUEST ? sql`false` : isNotGuest),
    change.passwordHash === undefined ? undefined : isNotGuest,
    losesAdmin(change) ? isNotLastAdmin(db) : undefined,
    // Otherwise the last admin could end.
    change.role === ADMIN ? isNull(users.endsAt) : undefined,
  )
}

/** Deletes a user and the user's data, but never the guest or the last admin who can sign in. */
export function deleteUser(db: Database, by: Authority, userId: number) {
  return tellingPrograms(
    writing(db, by).delete(users, mayDelete(db, userId)).returning({ id: users.id }),
  )
}

/** The tables of what comes back with a user, besides the row of the user. */
export const KEPT_WITH_USER = [
  sshKeys,
  passkeys,
  identities,
  appPasswords,
  recoveryCodes,
  groupMembers,
  noticeChannels,
] as const

/** Keeps a user who is about to be deleted. See `keepDeleted`. */
export function keepUser(
  db: Database,
  by: Authority,
  slot: UndoSlot | undefined,
  userId: number,
  now: number,
) {
  const which = mayDelete(db, userId)
  const name = sql`(select ${users.username} from ${users} where ${eq(users.id, userId)})`
  const owned = KEPT_WITH_USER.map((table) => [table, eq(table.userId, userId)] as const)
  return keepDeleted(db, by, slot, { kind: 'user', name, rows: [[users, which], ...owned] }, now)
}

/**
 * Writes the event of `deleteUser`. The statement stands before it, because it reads the user's
 * row.
 */
export function insertEventOfDeletion(
  db: Database,
  by: Authority,
  userId: number,
  event: AuditEvent,
) {
  const fields: FieldChange[] = [
    { field: 'username', from: users.username, to: sql`null` },
    { field: 'role', from: users.role, to: sql`null` },
  ]
  return insertEventsOfChange(db, by, event, [{ kind: event.kind, fields }], mayDelete(db, userId))
}

/** Holds for the row that `deleteUser` deletes. */
function mayDelete(db: Database, userId: number) {
  return and(eq(users.id, userId), isNotGuest, isNotLastAdmin(db))
}

/** Writes the event of `clearSeed`. The statement stands before it, because it reads the old seed. */
export function insertEventOfCancelling(
  db: Database,
  by: Authority,
  userId: number,
  event: AuditEvent,
) {
  const otp: FieldChange = { field: 'otp', from: sql`(${isEnrolled()})`, to: sql`0` }
  // The user's sessions end in any case, so the event is written even if two-step verification was off.
  const kinds = [{ kind: event.kind, fields: [otp], always: true }]
  return insertEventsOfChange(db, by, event, kinds, eq(users.id, userId))
}

/** Tells whether an admin would lose the role or the sign-in with this change. */
function losesAdmin({ role, disabled }: UserChange): boolean {
  return disabled === true || (role !== undefined && role !== ADMIN)
}

/** Holds when the user is not an admin who can sign in, or another such admin exists. */
function isNotLastAdmin(db: Database) {
  const others = alias(users, 'others')
  const otherAdmins = db
    .select({ id: others.id })
    .from(others)
    .where(and(isUsableAdmin(others), ne(others.id, users.id)))
  return or(not(isUsableAdmin(users)), exists(otherAdmins))
}

/** Holds for an admin who can sign in: enabled, with a password. */
function isUsableAdmin({ role, disabled, passwordHash }: UserColumns): SQL {
  return sql`(${role} = ${literal(ADMIN)} and ${disabled} = 0 and ${isNotNull(passwordHash)})`
}
