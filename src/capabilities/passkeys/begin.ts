import * as base64url from 'jose/base64url'
import type { Deps } from '../../core/deps.ts'
import type { RelyingParty } from '../../core/base/passkey-site.ts'
import { Refusal } from '../../core/base/refusals.ts'
import type { SessionActor } from '../../core/access/act-as.ts'
import { act, type ChangeDeps, own } from '../../core/access/subject.ts'
import { toEnrol } from '../../core/access/leniency.ts'
import { ALGORITHMS } from './cose.ts'
import {
  beginForAnybody,
  type BegunAssertion,
  type Descriptor,
  requestOptions,
} from './begin-for-anybody.ts'
import { beginCeremony, CEREMONY_MILLISECONDS } from './session-text.ts'
import { MAX_PASSKEYS_PER_USER, selectForBegin, selectPasskeys } from './store.ts'
import { userHandleOf } from './user-handle.ts'
import { NOBODY } from '../../core/database/user-id.ts'

type BeginDeps = Pick<Deps, 'db' | 'keyRing' | 'randomBytes' | 'now'>

/**
 * Begins a sign-in or a confirmation. It writes nothing, and reads D1 only for a name.
 *
 * Unknown names, and users whose passkeys are all discoverable, get no list, so that the answer
 * does not tell names apart. A user with a passkey that may not be discoverable needs the list.
 *
 * @param username Empty for any user with a discoverable passkey.
 */
export async function beginAssertion(
  deps: BeginDeps,
  relyingParty: RelyingParty,
  username: string,
): Promise<BegunAssertion> {
  if (username === '') return beginForAnybody(deps, relyingParty)
  const { rpId } = relyingParty
  const rows = await selectForBegin(deps.db, username, rpId, deps.now())
  const userId = rows[0]?.userId ?? NOBODY
  const { ceremony, session } = await beginCeremony(deps, 'assertion', userId)
  const isListed = rows.some(({ discoverable }) => discoverable === false)
  const list = isListed ? rows.flatMap(descriptorOf) : undefined
  return { options: { publicKey: requestOptions(ceremony, rpId, list) }, session }
}

/**
 * Begins the registration of a passkey.
 *
 * @param name The user's name for it.
 * @param siteTitle What authenticators show for the site.
 * @throws {Refusal} `confirmationNeeded`; `tooManyPasskeys`.
 */
export async function beginRegistration(
  deps: BeginDeps & ChangeDeps,
  session: SessionActor,
  { rpId }: RelyingParty,
  { name, siteTitle }: { name: string; siteTitle: string },
) {
  const actor = toEnrol(session)
  const { userId } = actor
  const { account, passkeys } = await act(deps, own(actor), { fresh: true }, () => ({
    passkeys: selectPasskeys(deps.db, userId),
  }))
  if (passkeys.length >= MAX_PASSKEYS_PER_USER) throw tooManyPasskeys()
  const begun = await beginCeremony(deps, 'registration', userId, name)
  const publicKey = {
    rp: { name: siteTitle, id: rpId },
    user: {
      id: base64url.encode(userHandleOf(userId)),
      name: account.username,
      displayName: account.username,
    },
    challenge: base64url.encode(begun.ceremony.challenge),
    pubKeyCredParams: ALGORITHMS.map((alg) => ({ type: 'public-key' as const, alg })),
    excludeCredentials: passkeys.filter((passkey) => passkey.rpId === rpId).flatMap(descriptorOf),
    timeout: CEREMONY_MILLISECONDS,
    authenticatorSelection: {
      residentKey: 'required' as const,
      requireResidentKey: true,
      userVerification: 'required' as const,
    },
    attestation: 'none' as const,
  }
  return { options: { publicKey }, session: begun.session }
}

export function tooManyPasskeys(): Refusal {
  return new Refusal('tooManyPasskeys', { values: { limit: MAX_PASSKEYS_PER_USER } })
}

/** @returns Nothing for the row of a user without passkeys. */
function descriptorOf(passkey: {
  credentialId: string | null
  transports: string | null
}): Descriptor[] {
  const { credentialId: id, transports } = passkey
  if (id === null) return []
  return [{ type: 'public-key', id, ...(transports && { transports: transports.split(' ') }) }]
}
