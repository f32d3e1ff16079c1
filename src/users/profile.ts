import { afterChange, eventOf, insertEvent, logEvent } from '../audit/events.ts'
import type { Deps } from '../deps.ts'
import {
  checkPasswordLength,
  refuseCommonPassword,
  selectCommonPassword,
} from '../login/password-rules.ts'
import { hashPassword, staticDigest, verifyPassword } from '../login/passwords.ts'
import {
  chargeProof,
  clearCounter,
  confirmFailure,
  oldPasswordCounter,
  payBack,
  selectProofBlocks,
  tooManyAttempts,
} from '../login/throttle.ts'
import { Refusal } from '../refusals.ts'
import { actAs, type Actor, type ActorDeps } from '../tokens/act-as.ts'
import { deleteSessionsAfterChange, isLive } from '../tokens/sessions.ts'
import type { Account } from './accounts.ts'
import { ADMIN, isPermitted, NAMES_FILES } from './roles.ts'
import { selectPasswordHash, updateProfile } from './store.ts'

type ProfileDeps = ActorDeps & Pick<Deps, 'hashPassword' | 'randomBytes'>

/**
 * A session this young shows that its user knows the password; the stock client never sends the old
 * one.
 */
const FRESH_SESSION_SECONDS = 10 * 60

/** What a user asks for; a field that is missing stays as it is, and so does an empty password. */
interface ProfileRequest {
  username?: string
  password?: string | null | undefined
  old_password?: string | null | undefined
  sso_id?: string | null | undefined
}

/**
 * Changes a user's own record. A new password ends every session of the user, this one too: whoever
 * holds an old token has to know the new password.
 *
 * @throws {Refusal} 400 for a poor password, 401 for a session that has ended, 403 without the old
 *   password, 409 for a name that is taken.
 */
export async function changeProfile(
  deps: ProfileDeps,
  actor: Actor,
  request: ProfileRequest,
): Promise<void> {
  const change = {
    ...(request.username !== undefined && { username: request.username }),
    ...(typeof request.sso_id === 'string' && { ssoId: request.sso_id }),
  }
  if (!request.password) {
    const at = deps.now()
    const event = eventOf(actor, 'profile_changed', at)
    const [account, updated] = await actAs(
      deps,
      actor,
      updateProfile(deps.db, actor, change, at),
      insertEvent(deps.db, event, afterChange),
    )
    if (updated.length === 0) throw reasonAgainst(account, change.username)
    return logEvent(event)
  }
  checkPasswordLength(request.password)
  const [, common, [stored]] = await actAs(
    deps,
    actor,
    selectCommonPassword(deps.db, request.password),
    selectPasswordHash(deps.db, actor.userId),
  )
  refuseCommonPassword(common)
  await proveOldPassword(deps, actor, request.old_password, stored?.passwordHash ?? null)

  const now = deps.now()
  const passwordHash = await hashPassword(deps, await staticDigest(request.password))
  const event = eventOf(actor, 'password_changed', now)
  const [account, updated] = await actAs(
    deps,
    actor,
    updateProfile(deps.db, actor, { ...change, passwordHash }, now),
    insertEvent(deps.db, event, afterChange),
    deleteSessionsAfterChange(deps.db, actor.userId),
  )
  if (updated.length === 0) throw reasonAgainst(account, change.username)
  logEvent(event)
}

/**
 * @throws {Refusal} `oldPasswordNeeded`, `wrongOldPassword`; `tooManyAttempts` after too many wrong
 *   ones.
 */
async function proveOldPassword(
  deps: ProfileDeps,
  actor: Actor,
  oldPassword: string | null | undefined,
  stored: string | null,
): Promise<void> {
  const { db } = deps
  const now = deps.now()
  if (!oldPassword) {
    if (now / 1000 - actor.issuedAtSeconds < FRESH_SESSION_SECONDS) return
    throw new Refusal('oldPasswordNeeded')
  }
  const counter = oldPasswordCounter(actor.userId)
  const [, blocks, charged] = await actAs(
    deps,
    actor,
    selectProofBlocks(db, counter, now),
    chargeProof(db, counter, now, isLive(db, actor, now)),
  )
  if (charged.length === 0) throw tooManyAttempts(blocks, now)
  const digest = await staticDigest(oldPassword)
  const { matches } = await verifyPassword(deps, digest, stored).catch((error: unknown) => {
    // An outage is nobody's failure.
    deps.defer(payBack(db, [counter]).catch(() => undefined))
    throw error
  })
  if (!matches) {
    await confirmFailure(db, [counter], now)
    throw new Refusal('wrongOldPassword')
  }
  await clearCounter(db, counter)
}

/**
 * Why a record was not changed. Whoever could take the name of another's folder could take the
 * files in it.
 */
function reasonAgainst(account: Account, username = account.username): Refusal {
  const isBound = account.role !== ADMIN && isPermitted(account.permission, NAMES_FILES)
  return new Refusal(isBound && account.username !== username ? 'nameKept' : 'usernameTaken')
}
