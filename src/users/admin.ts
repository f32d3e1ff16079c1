import { afterChange, eventOf, insertEvent, logEvent } from '../audit/events.ts'
import type { Deps } from '../deps.ts'
import {
  checkPasswordLength,
  refuseCommonPassword,
  selectCommonPassword,
} from '../login/password-rules.ts'
import { hashPassword, staticDigest } from '../login/passwords.ts'
import { windowOf } from '../paging.ts'
import { Refusal } from '../refusals.ts'
import {
  type Account,
  actAsAdmin,
  type Actor,
  type ActorDeps,
  deleteSessionsAfterChange,
} from '../tokens/sessions.ts'
import { deleteRecoveryCodes, hasSeed } from '../two-factor/store.ts'
import {
  cancelTwoFactor,
  countUsers,
  deleteUser,
  insertUser,
  selectUser,
  selectUsers,
  updateUser,
  type UserChange,
} from './admin-store.ts'
import { ADMIN, GENERAL, GUEST } from './roles.ts'

type AdminDeps = ActorDeps & Pick<Deps, 'hashPassword' | 'randomBytes'>

/** What an operator asks for; an empty password keeps the one there is. */
export interface UserRequest extends Omit<UserChange, 'passwordHash'> {
  password?: string
  /** It can't be changed, but clients send what they were given. */
  role?: number
}

/** All users, a page of them; see `windowOf`. @throws {Refusal} `notAdmin`. */
export async function listUsers(deps: ActorDeps, actor: Actor, page: number, perPage: number) {
  const [, users, [counted]] = await actAsAdmin(
    deps,
    actor,
    selectUsers(deps.db, windowOf(page, perPage)),
    countUsers(deps.db),
  )
  return { users, total: counted?.total ?? 0 }
}

/** @throws {Refusal} `notAdmin`, `userNotFound`. */
export async function getUser(deps: ActorDeps, actor: Actor, userId: number): Promise<Account> {
  const [, [user]] = await actAsAdmin(deps, actor, selectUser(deps.db, userId))
  if (user === undefined) throw new Refusal('userNotFound')
  return user
}

/**
 * Makes a general user; one without a password can't sign in.
 *
 * @throws {Refusal} `notAdmin`, `builtInNotCreated`, `usernameTaken`, `invalidBody` for a poor
 *   password.
 */
export async function createUser(
  deps: AdminDeps,
  actor: Actor,
  { role = GENERAL, password, ...fields }: UserRequest & { username: string },
): Promise<void> {
  const passwordHash = password ? await hashNewPassword(deps, actor, password) : null
  if (role !== GENERAL) {
    await actAsAdmin(deps, actor)
    throw new Refusal('builtInNotCreated')
  }
  const now = deps.now()
  const user = {
    basePath: '/',
    disabled: false,
    permission: 0,
    ssoId: '',
    ...fields,
    passwordHash,
  }
  const [, [inserted]] = await actAsAdmin(deps, actor, insertUser(deps.db, actor, user, now))
  if (inserted === undefined) throw new Refusal('usernameTaken')
  const event = eventOf({ ...actor, userId: inserted.id }, 'user_made', now, `by ${actor.userId}`)
  await insertEvent(deps.db, event)
  logEvent(event)
}

/**
 * Changes what a request names of a user. A new password, and being disabled, end every session of
 * the user.
 *
 * @throws {Refusal} `notAdmin`, `userNotFound`, `roleFixed`, `adminNotDisabled`, `usernameTaken`,
 *   `invalidBody`.
 */
export async function changeUser(
  deps: AdminDeps,
  actor: Actor,
  userId: number,
  { role, password, ...fields }: UserRequest,
): Promise<void> {
  const before = await getUser(deps, actor, userId)
  if (role !== undefined && role !== before.role) throw new Refusal('roleFixed')
  if (before.role === ADMIN && fields.disabled === true) throw new Refusal('adminNotDisabled')
  if (before.role === GUEST && password) throw new Refusal('guestHasNoPassword')
  const passwordHash = password ? await hashNewPassword(deps, actor, password) : undefined
  const now = deps.now()
  const change = { ...fields, ...(passwordHash !== undefined && { passwordHash }) }
  const event = eventOf({ ...actor, userId }, 'user_changed', now, `by ${actor.userId}`)
  const endsSessions = fields.disabled === true || passwordHash !== undefined
  const [, updated] = await actAsAdmin(
    deps,
    actor,
    updateUser(deps.db, actor, userId, change, now),
    insertEvent(deps.db, event, afterChange),
    ...(endsSessions ? [deleteSessionsAfterChange(deps.db, userId)] : []),
  )
  if (updated.length === 0) throw new Refusal('usernameTaken')
  logEvent(event)
}

/** @throws {Refusal} `notAdmin`, `userNotFound`, `builtInNotDeleted`. */
export async function removeUser(deps: ActorDeps, actor: Actor, userId: number): Promise<void> {
  const now = deps.now()
  const event = eventOf({ ...actor, userId }, 'user_deleted', now, `by ${actor.userId}`)
  const [, [user], deleted] = await actAsAdmin(
    deps,
    actor,
    selectUser(deps.db, userId),
    deleteUser(deps.db, actor, userId, now),
    insertEvent(deps.db, event, afterChange),
  )
  if (deleted.length === 0)
    throw new Refusal(user === undefined ? 'userNotFound' : 'builtInNotDeleted')
  logEvent(event)
}

/**
 * Switches the two-step verification of a user off, who has lost the authenticator, and ends the
 * user's sessions.
 *
 * @throws {Refusal} `notAdmin`, `userNotFound`.
 */
export async function cancelUserTwoFactor(
  deps: ActorDeps,
  actor: Actor,
  userId: number,
): Promise<void> {
  const now = deps.now()
  const event = eventOf({ ...actor, userId }, 'two_factor_off', now, `by ${actor.userId}`)
  const [, updated] = await actAsAdmin(
    deps,
    actor,
    cancelTwoFactor(deps.db, actor, userId, now),
    insertEvent(deps.db, event, afterChange),
    deleteSessionsAfterChange(deps.db, userId),
    deleteRecoveryCodes(deps.db, userId, hasSeed(deps.db, userId, null)),
  )
  if (updated.length === 0) throw new Refusal('userNotFound')
  logEvent(event)
}

/**
 * @throws {Refusal} `notAdmin`, before the time of a hash is spent; `invalidBody` for a poor
 *   password.
 */
async function hashNewPassword(deps: AdminDeps, actor: Actor, password: string): Promise<string> {
  const [, common] = await actAsAdmin(deps, actor, selectCommonPassword(deps.db, password))
  checkPasswordLength(password)
  refuseCommonPassword(common)
  return hashPassword(deps, await staticDigest(password))
}
