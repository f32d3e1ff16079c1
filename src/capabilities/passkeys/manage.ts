import * as base64url from 'jose/base64url'
import type { ReaderDeps, SessionActor } from '../../core/access/act-as.ts'
import { change, type ChangeDeps, own, read, type Subject } from '../../core/access/subject.ts'
import { userIdOf } from '../../core/access/operators.ts'
import { refuseLastFactor, takingFactors } from '../../core/accounts/last-factor.ts'
import { fromBase64 } from '../../core/base/encoding.ts'
import { Refusal } from '../../core/base/refusals.ts'
import { isPasskeyOf, passkeyDeletion, passkeyRenaming, selectPasskeys } from './store.ts'

/** Lists the passkeys of an account, oldest first. @throws {Refusal} The refusals of `read`. */
export async function listPasskeys(deps: ReaderDeps, subject: Subject<number>) {
  const { passkeys } = await read(deps, subject, {
    passkeys: selectPasskeys(deps.db, subject.userId),
  })
  return passkeys
}

/**
 * Removes a passkey. What began with it ends, except the session of the actor.
 *
 * @param id As `passkeyRecord` shows it.
 * @param endsOthers Whether every other session ends, and everything that programs got.
 * @throws {Refusal} `confirmationNeeded`, `userNotFound`, `lastFactor`; `passkeyNotFound` for an
 *   unknown id and for a passkey of another user.
 */
export async function removePasskey(
  deps: ChangeDeps,
  subject: Subject<number>,
  id: string,
  { endsOthers = false } = {},
): Promise<void> {
  const { by: actor, userId } = subject
  const credentialId = credentialIdIn(id)
  const passkeys = isPasskeyOf(userId, credentialId)
  const { kept, deleted } = await change(
    deps,
    subject,
    { kind: 'passkey_deleted', fresh: true, ends: true },
    (given) => {
      const taken = { userId, takenBy: userIdOf(actor), passkeys }
      const taking = takingFactors(deps.db, given.by, taken)
      const how = { actor, endsOthers }
      const deletion = passkeyDeletion(deps.db, taking.by, userId, credentialId, given.event, how)
      return { kept: taking.kept, ...deletion }
    },
  )
  refuseLastFactor({ kept })
  if (deleted.length === 0) throw new Refusal('passkeyNotFound')
}

/** @throws {Refusal} `passkeyNotFound`, as `removePasskey`. */
export async function renamePasskey(
  deps: ChangeDeps,
  actor: SessionActor,
  id: string,
  name: string,
): Promise<void> {
  const which = isPasskeyOf(actor.userId, credentialIdIn(id))
  const { renamed } = await change(
    deps,
    own(actor),
    { kind: 'passkey_renamed', detail: name },
    ({ by, event }) => passkeyRenaming(deps.db, by, which, name, event),
  )
  if (renamed.length === 0) throw new Refusal('passkeyNotFound')
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
