import type { ActorDeps } from '../../core/access/act-as.ts'
import { allSessions, endSessions, withNewFactor } from '../../core/access/endings.ts'
import type { FreshnessDeps } from '../../core/access/freshness.ts'
import {
  actAsOperator,
  actAsOperatorAt,
  eventBy,
  isActor,
  isFreshOperator,
  isOperator,
  type Operator,
  userIdOf,
} from '../../core/access/operators.ts'
import type { Account } from '../../core/accounts/accounts.ts'
import { refuseNameOfFiles } from '../../core/accounts/chosen-names.ts'
import { refuseLastFactor, takingFactors } from '../../core/accounts/last-factor.ts'
import { nameAndFolder } from '../../core/accounts/new-names.ts'
import { selectReservationByProgram } from '../../core/accounts/reserved-names.ts'
import { ADMIN, GENERAL, GUEST } from '../../core/accounts/roles.ts'
import { selectSameName, selectUser } from '../../core/accounts/store.ts'
import { logEvents } from '../../core/audit/change-events.ts'
import type { Change } from '../../core/audit/changes.ts'
import { logDeletions } from '../../core/audit/deletions.ts'
import { logEvent } from '../../core/audit/events.ts'
import { Refusal } from '../../core/base/refusals.ts'
import type { Deps } from '../../core/deps.ts'
import { isPasskeyOf, passkeyDeletion } from '../passkeys/store.ts'
import {
  checkPasswordLength,
  refuseCommonPassword,
  selectCommonPassword,
} from '../../core/passwords/password-rules.ts'
import { hashPassword, staticDigest } from '../../core/passwords/passwords.ts'
import { clearSeed, deleteRecoveryCodes } from '../two-factor/store.ts'
import { selectGuarded } from './guarded-fields.ts'
import {
  deleteAppPasswordsOfChanged,
  deleteSessionsOfChanged,
  deleteUser,
  insertEventOfCancelling,
  insertEventOfDeletion,
  insertEventOfNewUser,
  insertEventsOfUpdate,
  insertUser,
  mayUpdate,
  type NewUser,
  unlinkIdentitiesOfChanged,
  updateUser,
  type UserChange,
} from './store.ts'
import { NOBODY } from '../../core/database/user-id.ts'

/** The detail of a refusal, for the command line and the log. */
const LAST_ADMIN = 'no other enabled admin has a password'

type OperatorDeps = ActorDeps & FreshnessDeps & Pick<Deps, 'hashPassword' | 'randomBytes'>

/** The change that an operator requests. An empty password keeps the present one. */
export interface UserRequest extends Omit<UserChange, 'passwordHash'> {
  password?: string
  /** The role that OpenList clients send back. They can't change it (docs/interface.md). */
  expectedRole?: number
}

/** The fields of a new user. There are no permission bits to keep. */
interface NewUserRequest extends Omit<UserRequest, 'permission'> {
  username: string
  permission?: number
}

/**
 * Creates a user. A user without a password can't sign in. `{username}` in the base path becomes
 * the name.
 *
 * @returns The id of the new user.
 * @throws {Refusal} `notAdmin`, `builtInNotCreated`, `usernameTaken`, `nameReserved`, `invalidBody`
 *   for a poor password and a name of the file server, `confirmationNeeded`.
 */
export async function createUser(
  deps: OperatorDeps,
  operator: Operator,
  { expectedRole = GENERAL, password, ...fields }: NewUserRequest,
): Promise<number> {
  const { db } = deps
  const state = await actAsOperatorAt(deps, operator, deps.now(), {
    common: password ? selectCommonPassword(db, password) : undefined,
  })
  const passwordHash = await hashNewPassword(deps, password, state)
  refuseNameOfFiles(fields.username)
  if (expectedRole !== GENERAL || fields.role === GUEST) throw new Refusal('builtInNotCreated')
  const now = deps.now()
  const { basePath } = nameAndFolder(fields.basePath ?? '/', fields.username, false)
  const user: NewUser = {
    role: GENERAL,
    disabled: false,
    permission: 0,
    ssoId: '',
    ...fields,
    basePath,
    passwordHash: passwordHash ?? null,
  }
  const event = { ...eventBy(operator, undefined, 'user_made', now), changes: changesOfNew(user) }
  const by = isFreshOperator(deps, operator, now)
  const {
    isFresh,
    reserved,
    inserted: rows,
  } = await actAsOperatorAt(deps, operator, now, {
    reserved: selectReservationByProgram(db, user.username, NOBODY),
    inserted: insertUser(db, by, user, now),
    event: insertEventOfNewUser(db, by, user.username, event),
  })
  const [inserted] = rows
  if (inserted === undefined && !isFresh) throw new Refusal('confirmationNeeded')
  if (inserted === undefined)
    throw new Refusal(reserved.length > 0 ? 'nameReserved' : 'usernameTaken')
  logEvent({ ...event, userId: inserted.id })
  return inserted.id
}

/** Returns the fields of a new user, without the password, as changes. */
function changesOfNew({
  username,
  role,
  permission,
  basePath,
  disabled,
  ssoId,
}: NewUser): Change[] {
  const given = { username, role, permission, base_path: basePath, disabled, sso_id: ssoId }
  return Object.entries(given).map(([field, to]) => ({ field, from: null, to }))
}

/**
 * Changes the fields of a user that a request contains. A new password ends every session of the
 * user. Disabling the user does too, and deletes the user's app passwords. A user who is no longer
 * an admin loses the app passwords of scope `admin`. Another SSO id unlinks the identities that it
 * does not name.
 *
 * @throws {Refusal} `notAdmin`, `userNotFound`, `roleFixed`, `adminNotDisabled`, `adminNotDemoted`,
 *   `adminHasNoEnd`, `usernameTaken`, `nameReserved`, `guestHasNoPassword`, `invalidBody`;
 *   `confirmationNeeded` for what gives access (`USER_FIELDS`).
 */
export async function changeUser(
  deps: OperatorDeps,
  operator: Operator,
  userId: number,
  { password, ...request }: UserRequest,
): Promise<void> {
  const { db } = deps
  const passwordHash = password
    ? await hashPasswordOf(deps, operator, userId, password, request)
    : undefined
  const now = deps.now()
  const { expectedRole, ...fields } = request
  const change = { ...fields, ...(passwordHash !== undefined && { passwordHash }) }
  const event = eventBy(operator, userId, 'user_changed', now)
  const by = isOperator(db, operator, now)
  const isProven = isFreshOperator(deps, operator, now)
  const { username } = fields
  const may = mayUpdate(db, userId, change, { isProven, expectedRole })
  const { isFresh, found, guarded, rivals, reserved, events, unlinked, updated, deletedTokens } =
    await actAsOperatorAt(deps, operator, now, {
      found: selectUser(db, userId),
      guarded: selectGuarded(db, userId, change),
      rivals: username === undefined ? undefined : selectSameName(db, username, userId),
      reserved:
        username === undefined ? undefined : selectReservationByProgram(db, username, userId),
      events: insertEventsOfUpdate(db, by, change, event, may),
      ...unlinkIdentitiesOfChanged(db, by, operator, userId, change, event, may),
      updated: updateUser(db, by, change, now, may),
      ended: deleteSessionsOfChanged(db, userId, change),
      ...deleteAppPasswordsOfChanged(db, userId, change, event),
    })
  if (updated.length > 0) {
    logEvents(event, events)
    logDeletions({ ...event, kind: 'identity_unlinked' }, unlinked)
    logDeletions({ ...event, kind: 'token_deleted' }, deletedTokens)
    return
  }
  const before = checkChange(found, request, password)
  if (!isFresh && guarded.length > 0) throw new Refusal('confirmationNeeded')
  if (username !== undefined && username !== before.username) refuseNameOfFiles(username)
  if (rivals?.length) throw new Refusal('usernameTaken')
  if (reserved?.length) throw new Refusal('nameReserved')
  throw new Refusal(fields.disabled === true ? 'adminNotDisabled' : 'adminNotDemoted', {
    detail: LAST_ADMIN,
  })
}

/** Hashes a new password for a user who may get it: everybody else is refused before the hash. */
async function hashPasswordOf(
  deps: OperatorDeps,
  operator: Operator,
  userId: number,
  password: string,
  request: UserRequest,
): Promise<string | undefined> {
  const { found, ...state } = await actAsOperatorAt(deps, operator, deps.now(), {
    found: selectUser(deps.db, userId),
    common: selectCommonPassword(deps.db, password),
  })
  checkChange(found, request, password)
  return hashNewPassword(deps, password, state)
}

/**
 * Says what speaks against a change in the record of its user. `mayUpdate` has the same conditions.
 *
 * @returns The record.
 * @throws {Refusal} `userNotFound`, `roleFixed`, `adminHasNoEnd`, `guestHasNoPassword`.
 */
function checkChange(
  [before]: readonly Account[],
  { expectedRole, role }: UserRequest,
  password: string | undefined,
): Account {
  if (before === undefined) throw new Refusal('userNotFound')
  if (!isRoleAllowed(before.role, expectedRole, role)) throw new Refusal('roleFixed')
  if (role === ADMIN && before.endsAt !== null) throw new Refusal('adminHasNoEnd')
  if (before.role === GUEST && password) throw new Refusal('guestHasNoPassword')
  return before
}

/**
 * Tells whether a role may be set. The guest keeps its role, no other user can get it, and OpenList
 * clients change no role (docs/interface.md).
 */
function isRoleAllowed(
  role: number,
  expectedRole: number | undefined,
  newRole: number | undefined,
): boolean {
  if (expectedRole !== undefined && expectedRole !== role) return false
  return newRole === undefined || newRole === role || (role !== GUEST && newRole !== GUEST)
}

/** @throws {Refusal} `notAdmin`, `userNotFound`, `builtInNotDeleted`. */
export async function removeUser(
  deps: ActorDeps,
  operator: Operator,
  userId: number,
): Promise<void> {
  const { db } = deps
  const now = deps.now()
  const by = isOperator(db, operator, now)
  const event = eventBy(operator, userId, 'user_deleted', now)
  const { found, events, deleted } = await actAsOperator(deps, operator, {
    found: selectUser(db, userId),
    events: insertEventOfDeletion(db, by, userId, event),
    deleted: deleteUser(db, by, userId),
  })
  if (deleted.length > 0) return logEvents(event, events)
  const [user] = found
  if (user === undefined) throw new Refusal('userNotFound')
  const detail = user.role === ADMIN ? LAST_ADMIN : ''
  throw new Refusal('builtInNotDeleted', { detail })
}

/**
 * Turns off the two-step verification of a user who has lost the authenticator, and ends the user's
 * sessions and everything that programs got. `withPasskeys` deletes the user's passkeys too.
 * Operators who do it for themselves keep their present session, because the stock client would
 * otherwise show them its sign-in page.
 *
 * @throws {Refusal} `notAdmin`, `confirmationNeeded`, `lastFactor` for their own, `userNotFound`.
 */
export async function cancelUserTwoFactor(
  deps: ActorDeps & FreshnessDeps,
  operator: Operator,
  userId: number,
  { withPasskeys = false } = {},
): Promise<void> {
  const { db } = deps
  const now = deps.now()
  const { by, kept } = takingFactors(db, isFreshOperator(deps, operator, now), {
    userId,
    takenBy: userIdOf(operator),
    app: true,
    passkeys: withPasskeys ? isPasskeyOf(userId) : undefined,
  })
  const event = eventBy(operator, userId, 'two_factor_cancelled', now)
  const ofPasskey = eventBy(operator, userId, 'passkey_deleted', now)
  const actor = { actor: operator }
  const deletion = passkeyDeletion(db, by, userId, undefined, ofPasskey, actor)
  const isOwn = isActor(operator) && operator.userId === userId
  const done = await actAsOperatorAt(deps, operator, now, {
    kept,
    events: insertEventOfCancelling(db, by, userId, event),
    deletionEvents: withPasskeys ? deletion.deletionEvents : undefined,
    deleted: withPasskeys ? deletion.deleted : undefined,
    updated: clearSeed(db, by, userId),
    codes: deleteRecoveryCodes(db, by, userId),
    // The operator's own session stays, because `by` needs it.
    ...endSessions(db, by, isOwn ? withNewFactor(operator) : allSessions(userId)),
  })
  if (!done.isFresh) throw new Refusal('confirmationNeeded')
  refuseLastFactor(done)
  if (done.updated.length === 0) throw new Refusal('userNotFound')
  logEvents(event, done.events)
  logDeletions(ofPasskey, done.deleted)
}

/**
 * Checks and hashes a new password. What the checks need is read before, so that nothing is hashed
 * for an operator who may not set one.
 *
 * @returns `undefined` for an empty password, which keeps the present one.
 * @throws {Refusal} `invalidBody` for a poor password, `confirmationNeeded`.
 */
async function hashNewPassword(
  deps: OperatorDeps,
  password = '',
  { isFresh, common }: { isFresh: boolean; common: unknown[] | undefined },
): Promise<string | undefined> {
  if (password !== '') {
    checkPasswordLength(password)
    refuseCommonPassword(common ?? [])
  }
  if (!isFresh) throw new Refusal('confirmationNeeded')
  return password === '' ? undefined : hashPassword(deps, await staticDigest(password))
}
