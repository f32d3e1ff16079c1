import type { Change } from '../audit/changes.ts'
import { afterChange, type AuditEvent, logEvent } from '../audit/events.ts'
import type { Deps } from '../deps.ts'
import {
  checkPasswordLength,
  refuseCommonPassword,
  selectCommonPassword,
} from '../passwords/password-rules.ts'
import { hashPassword, staticDigest } from '../passwords/passwords.ts'
import { windowOf } from '../base/paging.ts'
import { Refusal } from '../base/refusals.ts'
import type { FreshnessDeps } from '../access/freshness.ts'
import {
  actAsOperator,
  actAsOperatorAt,
  eventBy,
  isActor,
  isFreshOperator,
  type Operator,
} from '../access/operators.ts'
import type { ActorDeps } from '../access/act-as.ts'
import { deleteOtherSessions, deleteSessionsAfterChange } from '../access/session-store.ts'
import type { Account } from '../accounts/accounts.ts'
import { selectSameName, selectUser, selectUserNamed } from '../accounts/store.ts'
import { deleteRecoveryCodes, hasSeed } from '../two-factor/store.ts'
import {
  cancelTwoFactor,
  countUsers,
  deleteUser,
  insertEventOfCancelling,
  insertEventOfDeletion,
  insertEventOfNewUser,
  insertEventsOfUpdate,
  insertUser,
  type NewUser,
  selectNamesLike,
  selectUsers,
  updateUser,
  type UserChange,
} from './store.ts'
import { ADMIN, GENERAL, GUEST } from '../accounts/roles.ts'

/** For the command line's operator, and the log. */
const LAST_ADMIN = 'no other enabled admin has a password'

type OperatorDeps = ActorDeps & FreshnessDeps & Pick<Deps, 'hashPassword' | 'randomBytes'>

/** What an operator asks for; an empty password keeps the one there is. */
export interface UserRequest extends Omit<UserChange, 'passwordHash'> {
  password?: string
  /** The role that clients of OpenList send back; they can't change it (docs/interface.md). */
  expectedRole?: number
}

/** As `UserRequest`; a new user has no bits yet that could stay. */
interface NewUserRequest extends Omit<UserRequest, 'permission'> {
  username: string
  permission?: number
}

/**
 * All users, or those whose name has `search` in it, in any case; a page of them, see `windowOf`.
 *
 * @throws {Refusal} `notAdmin`.
 */
export async function listUsers(
  deps: ActorDeps,
  operator: Operator,
  page: number,
  perPage: number,
  search = '',
) {
  const [users, [counted]] = await actAsOperator(
    deps,
    operator,
    selectUsers(deps.db, search, windowOf(page, perPage)),
    countUsers(deps.db, search),
  )
  return { users, total: counted?.total ?? 0 }
}

/** @throws {Refusal} `notAdmin`, `userNotFound`. */
export async function getUser(
  deps: ActorDeps,
  operator: Operator,
  userId: number,
): Promise<Account> {
  const [[user]] = await actAsOperator(deps, operator, selectUser(deps.db, userId))
  if (user === undefined) throw new Refusal('userNotFound')
  return user
}

/** @returns Nothing for an unknown name. @throws {Refusal} `notAdmin`. */
export async function findUser(
  deps: ActorDeps,
  operator: Operator,
  username: string,
): Promise<Account | undefined> {
  const [[user]] = await actAsOperator(deps, operator, selectUserNamed(deps.db, username))
  return user
}

/**
 * Names that may have been meant by one that nobody has.
 *
 * @param slack How many letters longer or shorter they may be. @throws {Refusal} `notAdmin`.
 */
export async function listNamesLike(
  deps: ActorDeps,
  operator: Operator,
  username: string,
  slack: number,
): Promise<string[]> {
  const similar = selectNamesLike(deps.db, username, slack)
  const [rows] = await actAsOperator(deps, operator, similar)
  return rows.map((row) => row.username)
}

/**
 * Makes a user; one without a password can't sign in.
 *
 * @returns The new user's id.
 * @throws {Refusal} `notAdmin`, `builtInNotCreated`, `usernameTaken`, `invalidBody` for a poor
 *   password, `confirmationNeeded` for an admin.
 */
export async function createUser(
  deps: OperatorDeps,
  operator: Operator,
  { expectedRole = GENERAL, password, ...fields }: NewUserRequest,
): Promise<number> {
  const isGuarded = fields.role === ADMIN
  const passwordHash = await hashNewPassword(deps, operator, password, isGuarded)
  if (expectedRole !== GENERAL || fields.role === GUEST) throw new Refusal('builtInNotCreated')
  const now = deps.now()
  const user: NewUser = {
    role: GENERAL,
    basePath: '/',
    disabled: false,
    permission: 0,
    ssoId: '',
    ...fields,
    passwordHash: passwordHash ?? null,
  }
  const event = { ...eventBy(operator, 0, 'user_made', now), changes: changesOfNew(user) }
  const when = isGuarded ? isFreshOperator(deps, operator, now) : undefined
  const [isFresh, [inserted]] = await actAsOperatorAt(
    deps,
    operator,
    now,
    insertUser(deps.db, operator, user, now, when),
    insertEventOfNewUser(deps.db, event),
  )
  if (inserted === undefined && isGuarded && !isFresh) throw new Refusal('confirmationNeeded')
  if (inserted === undefined) throw new Refusal('usernameTaken')
  logEvent({ ...event, userId: inserted.id })
  return inserted.id
}

/** What an operator gave a new user; a secret is none of it. */
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
 * Changes what a request names of a user. A new password, and being disabled, end every session of
 * the user.
 *
 * @throws {Refusal} `notAdmin`, `userNotFound`, `roleFixed`, `adminNotDisabled`, `adminNotDemoted`,
 *   `usernameTaken`, `guestHasNoPassword`, `invalidBody`; `confirmationNeeded` for a new role or a
 *   new password.
 */
export async function changeUser(
  deps: OperatorDeps,
  operator: Operator,
  userId: number,
  { expectedRole, password, ...fields }: UserRequest,
): Promise<void> {
  const before = await getUser(deps, operator, userId)
  if (!isRoleAllowed(before.role, expectedRole, fields.role)) throw new Refusal('roleFixed')
  if (before.role === GUEST && password) throw new Refusal('guestHasNoPassword')
  const isGuarded = Boolean(password) || (fields.role ?? before.role) !== before.role
  const passwordHash = await hashNewPassword(deps, operator, password, isGuarded)
  const now = deps.now()
  const change = { ...fields, ...(passwordHash !== undefined && { passwordHash }) }
  const event = eventBy(operator, userId, 'user_changed', now)
  const endsSessions = fields.disabled === true || passwordHash !== undefined
  const isProven = isFreshOperator(deps, operator, now)
  const [isFresh, rivals, noted, updated] = await actAsOperatorAt(
    deps,
    operator,
    now,
    selectSameName(deps.db, fields.username ?? before.username, userId),
    insertEventsOfUpdate(deps.db, operator, userId, change, event, isProven),
    updateUser(deps.db, operator, userId, change, now, isProven),
    ...(endsSessions ? [deleteSessionsAfterChange(deps.db, userId)] : []),
  )
  if (updated.length > 0) return logEvents(event, noted)
  if (isGuarded && !isFresh) throw new Refusal('confirmationNeeded')
  if (rivals.length > 0) throw new Refusal('usernameTaken')
  throw new Refusal(fields.disabled === true ? 'adminNotDisabled' : 'adminNotDemoted', {
    detail: LAST_ADMIN,
  })
}

/**
 * The guest stays the guest, nobody becomes one, and clients of OpenList change no role
 * (docs/interface.md).
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
  const now = deps.now()
  const event = eventBy(operator, userId, 'user_deleted', now)
  const [[user], noted, deleted] = await actAsOperator(
    deps,
    operator,
    selectUser(deps.db, userId),
    insertEventOfDeletion(deps.db, operator, userId, event),
    deleteUser(deps.db, operator, userId, now),
  )
  if (deleted.length > 0) return logEvents(event, noted)
  if (user === undefined) throw new Refusal('userNotFound')
  const detail = user.role === ADMIN ? LAST_ADMIN : ''
  throw new Refusal('builtInNotDeleted', { detail })
}

/**
 * Switches the two-step verification of a user off, who has lost the authenticator, and ends the
 * user's sessions. Operators who do it for themselves keep the session that they do it with: the
 * stock client would show them its sign-in page.
 *
 * @throws {Refusal} `notAdmin`, `confirmationNeeded`, `userNotFound`.
 */
export async function cancelUserTwoFactor(
  deps: ActorDeps & FreshnessDeps,
  operator: Operator,
  userId: number,
): Promise<void> {
  const now = deps.now()
  const event = eventBy(operator, userId, 'two_factor_cancelled', now)
  const isAllowed = isFreshOperator(deps, operator, now)
  const [isFresh, noted, updated] = await actAsOperatorAt(
    deps,
    operator,
    now,
    insertEventOfCancelling(deps.db, userId, event, isAllowed),
    cancelTwoFactor(deps.db, userId, isAllowed),
    isActor(operator) && operator.userId === userId
      ? deleteOtherSessions(deps.db, operator, now, afterChange)
      : deleteSessionsAfterChange(deps.db, userId),
    deleteRecoveryCodes(deps.db, userId, hasSeed(deps.db, userId, null)),
  )
  if (!isFresh) throw new Refusal('confirmationNeeded')
  if (updated.length === 0) throw new Refusal('userNotFound')
  logEvents(event, noted)
}

/** A request that changes several things is an event for each. */
function logEvents(event: AuditEvent, noted: Pick<AuditEvent, 'kind' | 'changes'>[]): void {
  for (const one of noted) logEvent({ ...event, ...one })
}

/**
 * @param isGuarded Whether a fresh session is needed.
 * @returns Nothing for an empty password: the one there is stays.
 * @throws {Refusal} `notAdmin` and `confirmationNeeded`, before the time of a hash is spent;
 *   `invalidBody` for a poor password.
 */
async function hashNewPassword(
  deps: OperatorDeps,
  operator: Operator,
  password = '',
  isGuarded = false,
): Promise<string | undefined> {
  const common = selectCommonPassword(deps.db, password)
  const [isFresh, rows] = await actAsOperatorAt(deps, operator, deps.now(), common)
  if (password !== '') {
    checkPasswordLength(password)
    refuseCommonPassword(rows)
  }
  if (isGuarded && !isFresh) throw new Refusal('confirmationNeeded')
  if (password === '') return undefined
  return hashPassword(deps, await staticDigest(password))
}
