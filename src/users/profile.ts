import { afterChange, eventOf, insertEvent, logEvent } from '../audit/events.ts'
import {
  checkPasswordLength,
  refuseCommonPassword,
  selectCommonPassword,
} from '../passwords/password-rules.ts'
import { hashPassword, staticDigest } from '../passwords/passwords.ts'
import { clearCounter, oldPasswordCounter } from '../throttle/throttle.ts'
import { Refusal } from '../base/refusals.ts'
import { actAs, type Actor } from '../access/act-as.ts'
import { selectKeys, type StoredKey } from '../ssh-keys/store.ts'
import { type FreshnessDeps, isFreshAt } from '../access/freshness.ts'
import { deleteSessionsAfterChange, isFresh, isLive } from '../access/session-store.ts'
import type { Account } from '../accounts/accounts.ts'
import { type ProofDeps, provePassword } from './prove-password.ts'
import { ADMIN, isPermitted, NAMES_FILES } from '../accounts/roles.ts'
import { updateProfile } from './profile-store.ts'

type ProfileDeps = ProofDeps & FreshnessDeps

/** What a user asks for; a field that is missing stays as it is, and so does an empty password. */
interface ProfileRequest {
  username?: string
  password?: string | null | undefined
  /** Does instead of a fresh session. */
  old_password?: string | null | undefined
  sso_id?: string | null | undefined
}

/**
 * Changes a user's own record. A new name and a new password need a fresh session, or the old
 * password. A new password ends every session of the user, this one too: who holds an old token has
 * to know the new password.
 *
 * @returns The SSH keys that a new password leaves in force; none without a new password.
 * @throws {Refusal} 400 for a poor password, 401 for a session that has ended, 403 for one that is
 *   not fresh and for a wrong old password, 409 for a name that is taken.
 */
export async function changeProfile(
  deps: ProfileDeps,
  actor: Actor,
  request: ProfileRequest,
): Promise<StoredKey[]> {
  const isProven = Boolean(request.old_password)
  const passwordHash = await hashNewPassword(deps, actor, request)
  const now = deps.now()
  const change = {
    ...(request.username !== undefined && { username: request.username }),
    ...(typeof request.sso_id === 'string' && { ssoId: request.sso_id }),
    ...(passwordHash !== undefined && { passwordHash }),
  }
  const kind = passwordHash === undefined ? 'profile_changed' : 'password_changed'
  const event = eventOf(actor, kind, now)
  const mayChange = isProven ? isLive(deps.db, actor, now) : isFresh(deps, actor, now)
  const limit = passwordHash === undefined ? 0 : -1
  const [account, keys, updated] = await actAs(
    deps,
    actor,
    selectKeys(deps.db, actor.userId, { limit, offset: 0 }),
    updateProfile(deps.db, actor, change, now, mayChange),
    insertEvent(deps.db, event, afterChange),
    ...(passwordHash === undefined ? [] : [deleteSessionsAfterChange(deps.db, actor.userId)]),
  )
  if (updated.length > 0) {
    logEvent(event)
    return keys
  }
  const { username = account.username } = request
  const isGuarded = passwordHash !== undefined || username !== account.username
  if (isGuarded && !isProven && !isFreshAt(deps, account.provenAt, now))
    throw new Refusal('confirmationNeeded')
  throw reasonAgainst(account, username)
}

/**
 * Checks a new password and what it takes to set it, and an old one wherever it was sent, before
 * the time of another hash is spent.
 *
 * @returns Nothing when there is no new password.
 * @throws {Refusal} `invalidBody`, `confirmationNeeded`, `wrongOldPassword`, `tooManyAttempts`.
 */
async function hashNewPassword(
  deps: ProfileDeps,
  actor: Actor,
  { password, old_password: oldPassword }: ProfileRequest,
): Promise<string | undefined> {
  if (password) {
    checkPasswordLength(password)
    const now = deps.now()
    const common = selectCommonPassword(deps.db, password)
    const [account, rows] = await actAs(deps, actor, common)
    refuseCommonPassword(rows)
    if (!oldPassword && !isFreshAt(deps, account.provenAt, now))
      throw new Refusal('confirmationNeeded')
  }
  if (oldPassword) {
    await provePassword(deps, actor, oldPassword, 'wrongOldPassword')
    await clearCounter(deps.db, oldPasswordCounter(actor.userId))
  }
  return password ? hashPassword(deps, await staticDigest(password)) : undefined
}

/**
 * Why a record was not changed. Whoever could take the name of another's folder could take the
 * files in it.
 */
function reasonAgainst(account: Account, username: string): Refusal {
  const isBound = account.role !== ADMIN && isPermitted(account.permission, NAMES_FILES)
  return new Refusal(isBound && account.username !== username ? 'nameKept' : 'usernameTaken')
}
