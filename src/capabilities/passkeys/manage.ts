import * as base64url from 'jose/base64url'
import { logDeletions } from '../../core/audit/deletions.ts'
import { eventOf, logEvent } from '../../core/audit/events.ts'
import { fromBase64 } from '../../core/base/encoding.ts'
import { Refusal } from '../../core/base/refusals.ts'
import {
  actAs,
  endFreshAs,
  type SessionActor,
  type ActorDeps,
  readAs,
  type ReaderDeps,
} from '../../core/access/act-as.ts'
import type { FreshnessDeps } from '../../core/access/freshness.ts'
import {
  actAsOperator,
  actAsOperatorAt,
  eventBy,
  isFreshOperator,
  type Operator,
} from '../../core/access/operators.ts'
import { isLive, mayEndFresh } from '../../core/access/session-store.ts'
import { selectUser } from '../../core/accounts/store.ts'
import { isPasskeyOf, passkeyDeletion, passkeyRenaming, selectPasskeys } from './store.ts'

/** Lists the actor's passkeys, oldest first, with the account. */
export function listPasskeys(deps: ReaderDeps, actor: SessionActor) {
  return readAs(deps, actor, { passkeys: selectPasskeys(deps.db, actor.userId) })
}

/**
 * Removes a passkey of the actor. What began with it ends, except the actor's session.
 *
 * @param id As `passkeyRecord` shows it.
 * @param endsOthers Whether every other session ends, and everything that programs got.
 * @throws {Refusal} `confirmationNeeded`; `passkeyNotFound` for an unknown id and for a passkey of
 *   another user.
 */
export async function removePasskey(
  deps: ActorDeps & FreshnessDeps,
  actor: SessionActor,
  id: string,
  { endsOthers = false } = {},
): Promise<void> {
  const { userId } = actor
  const now = deps.now()
  const by = mayEndFresh(deps, actor, now)
  const credentialId = credentialIdIn(id)
  const event = eventOf(actor, 'passkey_deleted', now)
  const taking = { actor, endsOthers }
  const deletion = passkeyDeletion(deps.db, by, userId, credentialId, event, taking)
  const { deleted } = await endFreshAs(deps, actor, now, deletion)
  if (deleted.length === 0) throw new Refusal('passkeyNotFound')
  logDeletions(event, deleted)
}

/** @throws {Refusal} `passkeyNotFound`, as `removePasskey`. */
export async function renamePasskey(
  deps: ActorDeps,
  actor: SessionActor,
  id: string,
  name: string,
): Promise<void> {
  const now = deps.now()
  const which = isPasskeyOf(actor.userId, credentialIdIn(id))
  const event = eventOf(actor, 'passkey_renamed', now, name)
  const renaming = passkeyRenaming(deps.db, isLive(deps.db, actor, now), which, name, event)
  const { renamed } = await actAs(deps, actor, renaming)
  if (renamed.length === 0) throw new Refusal('passkeyNotFound')
  logEvent(event)
}

/**
 * Lists the passkeys of any user for an operator.
 *
 * @throws {Refusal} `notAdmin`, `userNotFound`.
 */
export async function listPasskeysOf(deps: ActorDeps, operator: Operator, userId: number) {
  const { owner, passkeys } = await actAsOperator(deps, operator, {
    owner: selectUser(deps.db, userId),
    passkeys: selectPasskeys(deps.db, userId),
  })
  if (owner.length === 0) throw new Refusal('userNotFound')
  return passkeys
}

/**
 * Removes a passkey of any user for an operator. What began with it ends, except the operator's
 * session.
 *
 * @param id As `passkeyRecord` shows it.
 * @throws {Refusal} `notAdmin`, `confirmationNeeded`, `passkeyNotFound`.
 */
export async function removePasskeyOf(
  deps: ActorDeps & FreshnessDeps,
  operator: Operator,
  userId: number,
  id: string,
): Promise<void> {
  const now = deps.now()
  const by = isFreshOperator(deps, operator, now)
  const event = eventBy(operator, undefined, 'passkey_deleted', now)
  const credentialId = credentialIdIn(id)
  const taking = { actor: operator }
  const deletion = passkeyDeletion(deps.db, by, userId, credentialId, event, taking)
  const { isFresh: mayDelete, deleted } = await actAsOperatorAt(deps, operator, now, deletion)
  if (!mayDelete) throw new Refusal('confirmationNeeded')
  if (deleted.length === 0) throw new Refusal('passkeyNotFound')
  logDeletions(event, deleted)
}

/**
 * Returns the stored form of an id. Lists show ids in standard base64 with padding.
 *
 * @throws {Refusal} `passkeyNotFound`.
 */
function credentialIdIn(id: string): string {
  const bytes = fromBase64(id)
  if (bytes === undefined) throw new Refusal('passkeyNotFound')
  return base64url.encode(bytes)
}
