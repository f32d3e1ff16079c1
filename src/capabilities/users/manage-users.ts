import { allSessions, endSessions, withNewFactor } from '../../core/access/endings.ts'
import { isActor, type Operator, userIdOf } from '../../core/access/operators.ts'
import {
  type AccountOf,
  act,
  authorityOf,
  change,
  type ChangeDeps,
  of,
  type Subject,
} from '../../core/access/subject.ts'
import type { UndoSlot } from '../../core/access/undo-slot.ts'
import type { Account } from '../../core/accounts/accounts.ts'
import { refuseNameOfFiles } from '../../core/accounts/chosen-names.ts'
import { refuseLastFactor, takingFactors } from '../../core/accounts/last-factor.ts'
import { isTemplate, nameAndFolder } from '../../core/accounts/new-names.ts'
import { selectReservationByProgram } from '../../core/accounts/reserved-names.ts'
import { ADMIN, GENERAL, GUEST } from '../../core/accounts/roles.ts'
import { selectSameName } from '../../core/accounts/store.ts'
import type { Change } from '../../core/audit/changes.ts'
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
  keepUser,
  mayUpdate,
  type NewUser,
  unlinkIdentitiesOfChanged,
  updateUser,
  type UserChange,
} from './store.ts'
import { NOBODY } from '../../core/database/user-id.ts'

/** The detail of a refusal, for the command line and the log. */
const LAST_ADMIN = 'no other enabled admin has a password'

type OperatorDeps = ChangeDeps & Pick<Deps, 'hashPassword' | 'randomBytes'>

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
  /** Not confirmed; empty for none. */
  email?: string
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
  const passwordHash = await hashNewPassword(deps, of(operator), password)
  refuseNameOfFiles(fields.username)
  if (expectedRole !== GENERAL || fields.role === GUEST) throw new Refusal('builtInNotCreated')
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
  const changes = changesOfNew(user)
  const { reserved, inserted } = await change(
    deps,
    of(operator),
    { kind: 'user_made', fresh: true },
    ({ now, by, event }) => ({
      reserved: selectReservationByProgram(db, user.username, NOBODY),
      inserted: insertUser(db, by, user, now),
      event: insertEventOfNewUser(db, by, user.username, { ...event, changes }),
    }),
  )
  const [made] = inserted
  if (made === undefined) throw new Refusal(reserved.length > 0 ? 'nameReserved' : 'usernameTaken')
  return made.id
}

/** Returns the fields of a new user, without the password, as changes. */
function changesOfNew({
  username,
  role,
  permission,
  basePath,
  disabled,
  ssoId,
  email = '',
}: NewUser): Change[] {
  const given = {
    username,
    role,
    permission,
    base_path: basePath,
    disabled,
    sso_id: ssoId,
    ...(email !== '' && { email }),
  }
  return Object.entries(given).map(([field, to]) => ({ field, from: null, to }))
}

/**
 * Changes the fields of a user that a request contains. A new password ends every session of the
 * user. Disabling the user does too, and deletes the user's app passwords. A user who is no longer
 * an admin loses the app passwords of scope `admin`. Another SSO id unlinks the identities that it
 * does not name. `{username}` in the base path becomes the name, the new one if the request has
 * one.
 *
 * @throws {Refusal} `notAdmin`, `userNotFound`, `roleFixed`, `adminNotDisabled`, `adminNotDemoted`,
 *   `adminHasNoEnd`, `usernameTaken`, `nameReserved`, `guestHasNoPassword`, `invalidBody`;
 *   `confirmationNeeded` for what gives access (`USER_FIELDS`).
 */
export async function changeUser(
  deps: OperatorDeps,
  operator: Operator,
  userId: number,
  asked: UserRequest,
): Promise<void> {
  const { db } = deps
  const { password, ...request } = asked
  const subject = of(operator, userId)
  const { expectedRole, ...given } = request
  const { basePath, ofName } = await folderOf(deps, operator, userId, given)
  const fields = { ...given, ...(basePath !== undefined && { basePath }) }
  const passwordHash = password
    ? await hashNewPassword(deps, subject, password, (user) => checkChange(user, request, password))
    : undefined
  const wanted = { ...fields, ...(passwordHash !== undefined && { passwordHash }) }
  const { username } = fields
  const { account, rivals, reserved, updated } = await change(
    deps,
    subject,
    { kind: 'user_changed' },
    ({ now, by, event }) => {
      const isProven = authorityOf(deps, subject, { fresh: true }, now)
      const may = mayUpdate(db, userId, wanted, { isProven, expectedRole, expectedName: ofName })
      return {
        guarded: selectGuarded(db, userId, wanted),
        rivals: username === undefined ? undefined : selectSameName(db, username, userId),
        reserved:
          username === undefined ? undefined : selectReservationByProgram(db, username, userId),
        events: insertEventsOfUpdate(db, by, wanted, event, may),
        ...unlinkIdentitiesOfChanged(db, by, operator, userId, wanted, event, may),
        updated: updateUser(db, by, wanted, now, may),
        ended: deleteSessionsOfChanged(db, userId, wanted),
        ...deleteAppPasswordsOfChanged(db, userId, wanted, event),
      }
    },
  )
  if (updated.length > 0) return
  // The folder has the name that the user had a moment ago.
  if (ofName !== undefined && account.username !== ofName)
    return changeUser(deps, operator, userId, asked)
  checkChange(account, request, password)
  if (username !== undefined && username !== account.username) refuseNameOfFiles(username)
  if (rivals?.length) throw new Refusal('usernameTaken')
  if (reserved?.length) throw new Refusal('nameReserved')
  throw new Refusal(fields.disabled === true ? 'adminNotDisabled' : 'adminNotDemoted', {
    detail: LAST_ADMIN,
  })
}

/**
 * Puts the name into a base path that waits for it.
 *
 * @returns `ofName`: a name that the request does not have, for which alone the path holds.
 * @throws {Refusal} `invalidBody` when the path with the name is none; for a name that the request
 *   does not have, `notAdmin`, `userNotFound`.
 */
async function folderOf(
  deps: OperatorDeps,
  operator: Operator,
  userId: number,
  { basePath, username }: Pick<UserRequest, 'basePath' | 'username'>,
): Promise<{ basePath?: string; ofName?: string }> {
  if (basePath === undefined) return {}
  if (!isTemplate(basePath)) return { basePath }
  if (username !== undefined) return { basePath: nameAndFolder(basePath, username, false).basePath }
  const { account } = await act(deps, of(operator, userId), {}, () => ({}))
  const { username: ofName } = account
  return { basePath: nameAndFolder(basePath, ofName, false).basePath, ofName }
}

/**
 * Refuses a change that the record of its user speaks against. `mayUpdate` has the same conditions.
 *
 * @throws {Refusal} `roleFixed`, `adminHasNoEnd`, `guestHasNoPassword`.
 */
function checkChange(
  before: Account,
  { expectedRole, role }: UserRequest,
  password: string | undefined,
): void {
  if (!isRoleAllowed(before.role, expectedRole, role)) throw new Refusal('roleFixed')
  if (role === ADMIN && before.endsAt !== null) throw new Refusal('adminHasNoEnd')
  if (before.role === GUEST && password) throw new Refusal('guestHasNoPassword')
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

/**
 * Deletes a user and the user's data.
 *
 * @param slot Where pages keep the user, without sessions and what apps got, for a while.
 * @throws {Refusal} `notAdmin`, `confirmationNeeded`, `userNotFound`, `builtInNotDeleted`.
 */
export async function removeUser(
  deps: ChangeDeps,
  operator: Operator,
  userId: number,
  slot?: UndoSlot,
): Promise<void> {
  const { db } = deps
  const { account, deleted } = await change(
    deps,
    of(operator, userId),
    { kind: 'user_deleted', fresh: true },
    ({ by, now, event }) => ({
      ...keepUser(db, by, slot, userId, now),
      events: insertEventOfDeletion(db, by, userId, event),
      deleted: deleteUser(db, by, userId),
    }),
  )
  if (deleted.length > 0) return
  const detail = account.role === ADMIN ? LAST_ADMIN : ''
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
  deps: ChangeDeps,
  operator: Operator,
  userId: number,
  { withPasskeys = false } = {},
): Promise<void> {
  const { db } = deps
  const isOwn = isActor(operator) && operator.userId === userId
  const demand = { kind: 'two_factor_cancelled', fresh: true } as const
  const done = await change(deps, of(operator, userId), demand, ({ by: proven, event }) => {
    const { by, kept } = takingFactors(db, proven, {
      userId,
      takenBy: userIdOf(operator),
      app: true,
      passkeys: withPasskeys ? isPasskeyOf(userId) : undefined,
    })
    const ofPasskey = { ...event, kind: 'passkey_deleted' } as const
    const actor = { actor: operator }
    const deletion = passkeyDeletion(db, by, userId, undefined, ofPasskey, actor)
    return {
      kept,
      events: insertEventOfCancelling(db, by, userId, event),
      deletionEvents: withPasskeys ? deletion.deletionEvents : undefined,
      deleted: withPasskeys ? deletion.deleted : undefined,
      updated: clearSeed(db, by, userId),
      codes: deleteRecoveryCodes(db, by, userId),
      // The operator's own session stays, because `by` needs it.
      ...endSessions(db, by, isOwn ? withNewFactor(operator) : allSessions(userId)),
    }
  })
  refuseLastFactor(done)
}

/**
 * Checks and hashes a new password. What the checks need is read before, so that nothing is hashed
 * for an operator who may not set one.
 *
 * @param check Refuses a user who may not get one.
 * @returns `undefined` for an empty password, which keeps the present one.
 * @throws {Refusal} `confirmationNeeded`, `userNotFound`, the refusals of `check`; `invalidBody`
 *   for a poor password.
 */
async function hashNewPassword<S extends Subject | Subject<undefined>>(
  deps: OperatorDeps,
  subject: S,
  password = '',
  check: (user: AccountOf<S>) => void = () => {},
): Promise<string | undefined> {
  if (password !== '') checkPasswordLength(password)
  const { account, common } = await act(deps, subject, { fresh: true }, () => ({
    common: password === '' ? undefined : selectCommonPassword(deps.db, password),
  }))
  check(account)
  if (password === '') return undefined
  refuseCommonPassword(common ?? [])
  return hashPassword(deps, await staticDigest(password))
}
