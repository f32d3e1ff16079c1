import { and } from 'drizzle-orm'
import type { AuditEvent } from '../../core/audit/events.ts'
import {
  checkPasswordLength,
  refuseCommonPassword,
  selectCommonPassword,
} from '../../core/passwords/password-rules.ts'
import { hashPassword, staticDigest } from '../../core/passwords/passwords.ts'
import { clearCounter } from '../../core/throttle/charges.ts'
import { oldPasswordCounter } from '../../core/throttle/counters.ts'
import { Refusal } from '../../core/base/refusals.ts'
import type { SessionActor } from '../../core/access/act-as.ts'
import { act, authorityOf, change, own } from '../../core/access/subject.ts'
import { selectAnyClient } from '../../core/accounts/known-names.ts'
import { mayConfirm } from '../../core/access/session-store.ts'
import type { Account } from '../../core/accounts/accounts.ts'
import {
  checkChosenName,
  refuseNameOfFiles,
  refuseReservedName,
} from '../../core/accounts/chosen-names.ts'
import { keptNamesIn, selectKeptNames } from '../../core/accounts/kept-names.ts'
import { type ProofDeps, provePassword } from './prove-password.ts'
import { ADMIN, isPermitted, NAMES_FILES } from '../../core/accounts/roles.ts'
import { selectGuarded } from '../users/guarded-fields.ts'
import {
  insertEventsOfProfile,
  type ProfileChange,
  selectHoldingTooMany,
  updateProfile,
  willUpdateProfile,
} from './profile-store.ts'
import {
  identityText,
  hasOtherWayIn,
  identityLinking,
  identityUnlinking,
  type ProvenIdentity,
} from '../../core/access/identities.ts'
import type { Authority } from '../../core/database/statements.ts'
import type { SharedParts } from '../../core/database/shared-batch.ts'
import type { Database } from '../../core/deps.ts'
import { deleteSessionsOfChanged } from '../users/store.ts'

/**
 * The change that a user requests. A missing field stays unchanged. An empty password keeps the
 * present one.
 */
interface ProfileRequest {
  username?: string
  password?: string | null | undefined
  /** The old password, accepted in place of a fresh session. */
  old_password?: string | null | undefined
  /** An empty text unlinks every identity; another text must be the subject of `provenIdentity`. */
  sso_id?: string | null | undefined
  /** The identity that the user of this browser has just signed in to. */
  provenIdentity?: ProvenIdentity | undefined
}

/**
 * Changes a user's own record. A new name and a new password need a fresh session, or the old
 * password. A new password ends every session of the user, including this one, so a thief of an old
 * token needs the new password.
 *
 * @param others Statements of others, which run in the batch of the change.
 * @returns Their answers.
 * @throws {Refusal} 400 for a poor password and for unlinking the last way to sign in, 401 for a
 *   session that has ended, 403 for one that is not fresh, for a wrong old password, for an
 *   identity that is not proven, and for a new name that programs would not know; 409 for a name or
 *   an identity that is taken.
 */
export async function changeProfile(
  deps: ProofDeps,
  actor: SessionActor,
  request: ProfileRequest,
  others: SharedParts = {},
): Promise<Record<string, unknown>> {
  await checkRequest(deps, actor, request)
  const isProven = Boolean(request.old_password)
  const passwordHash = await hashNewPassword(deps, actor, request)
  const wanted: ProfileChange = {
    ...(request.username !== undefined && { username: request.username }),
    ...(typeof request.sso_id === 'string' && ssoChange(request.sso_id, request.provenIdentity)),
    ...(passwordHash !== undefined && { passwordHash }),
  }
  const { db } = deps
  const { userId } = actor
  // A new password ends every session, so it is no change that a thief can use up.
  const ends = passwordHash !== undefined
  const { account, clients, tooMany, updated, ...found } = await change(
    deps,
    own(actor),
    { kind: 'profile_changed', ends },
    ({ now, by, event }) => {
      const mayChange = isProven ? by : authorityOf(deps, own(actor), { fresh: true, ends }, now)
      return {
        clients: wanted.username === undefined ? undefined : selectAnyClient(db),
        guarded: isProven ? undefined : selectGuarded(db, userId, wanted),
        tooMany:
          wanted.username === undefined
            ? undefined
            : selectHoldingTooMany(db, userId, wanted.username),
        ...others,
        events: insertEventsOfProfile(db, by, userId, wanted, event, mayChange),
        // They stand before the update, because it changes the row that its condition reads.
        ...identityParts(db, mayChange, actor, wanted, event),
        updated: updateProfile(db, by, userId, wanted, now, mayChange),
        ended: deleteSessionsOfChanged(db, userId, wanted),
      }
    },
  )
  if (updated.length > 0) return found
  const { username = account.username } = wanted
  const isKnown = (clients ?? []).length > 0 && username !== account.username
  if (isKnown) throw new Refusal('nameFixed')
  throw tooMany?.length ? new Refusal('tooManyNames') : reasonAgainst(account, username, wanted)
}

/**
 * Checks a new name and a new password, and whether the user may set it, before anything is hashed.
 *
 * @throws {Refusal} `invalidBody`, `usernameTaken` for a name that looks like a reserved one,
 *   `confirmationNeeded`.
 */
async function checkRequest(
  deps: ProofDeps,
  actor: SessionActor,
  { username, password, old_password: oldPassword }: ProfileRequest,
): Promise<void> {
  if (password) checkPasswordLength(password)
  if (username === undefined && !password) return
  const { db } = deps
  const { account, kept, common } = await act(
    deps,
    own(actor),
    { fresh: Boolean(password) && !oldPassword },
    () => ({
      kept: username === undefined ? undefined : selectKeptNames(db),
      common: password ? selectCommonPassword(db, password) : undefined,
    }),
  )
  if (username !== undefined && username !== account.username) {
    refuseNameOfFiles(username)
    if (mayChoose(account)) {
      checkChosenName(username)
      refuseReservedName(username, keptNamesIn(kept ?? []))
    }
  }
  refuseCommonPassword(common ?? [])
}

/**
 * Tells whether the rules for chosen names are for a new name of this user. Admins may have any,
 * and a user with files on other servers gets no other one.
 */
function mayChoose({ role, permission }: Account): boolean {
  return role !== ADMIN && !isPermitted(permission, NAMES_FILES)
}

/**
 * Checks the old password whenever the request contains it.
 *
 * @returns The hash of the new password; `undefined` when there is none.
 * @throws {Refusal} `wrongOldPassword`, `tooManyAttempts`.
 */
async function hashNewPassword(
  deps: ProofDeps,
  actor: SessionActor,
  { password, old_password: oldPassword }: ProfileRequest,
): Promise<string | undefined> {
  if (oldPassword) {
    await provePassword(deps, actor, oldPassword, 'wrongOldPassword')
    const by = mayConfirm(deps.db, actor, deps.now())
    await clearCounter(deps.db, by, oldPasswordCounter(actor))
  }
  return password ? hashPassword(deps, await staticDigest(password)) : undefined
}

/** Returns the change that a new `sso_id` is. */
function ssoChange(ssoId: string, identity: ProvenIdentity | undefined): ProfileChange {
  return identity?.subject === ssoId ? { ssoId, identity } : { ssoId }
}

/** Returns the statements that link or unlink identities, under the condition of the update. */
function identityParts(
  db: Database,
  by: Authority,
  actor: SessionActor,
  wanted: ProfileChange,
  event: AuditEvent,
) {
  const { userId } = actor
  const { identity, ssoId } = wanted
  const when = willUpdateProfile(db, userId, wanted, by)
  if (identity !== undefined) {
    const linked = { ...event, kind: 'identity_linked', detail: identityText(identity) } as const
    return identityLinking(db, by, userId, identity, 'user', linked, when)
  }
  if (ssoId !== '') return {}
  const unlinked = { ...event, kind: 'identity_unlinked' } as const
  const mayUnlink = and(when, hasOtherWayIn(db, userId))
  return identityUnlinking(db, by, userId, undefined, unlinked, mayUnlink, { actor })
}

/**
 * Returns the reason why a record was not changed. A user with the name of another user's folder
 * could take the files in it.
 */
function reasonAgainst(
  account: Account,
  username: string,
  { ssoId, identity }: ProfileChange,
): Refusal {
  if (identity !== undefined && account.username === username) return new Refusal('identityTaken')
  if (ssoId !== undefined && ssoId !== account.ssoId && identity === undefined)
    return new Refusal(ssoId === '' ? 'lastWayIn' : 'ssoNotProven')
  const isBound = account.role !== ADMIN && isPermitted(account.permission, NAMES_FILES)
  return new Refusal(isBound && account.username !== username ? 'nameKept' : 'usernameTaken')
}
