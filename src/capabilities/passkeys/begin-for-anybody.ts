import * as base64url from 'jose/base64url'
import type { RelyingParty } from '../../core/base/passkey-site.ts'
import type { Deps } from '../../core/deps.ts'
import { beginCeremony, type Ceremony, CEREMONY_MILLISECONDS } from './session-text.ts'

/** A request to sign in, or to confirm a session. */
export interface RequestOptions {
  challenge: string
  timeout: number
  rpId: string
  allowCredentials?: Descriptor[]
  userVerification: 'required'
}

export interface Descriptor {
  type: 'public-key'
  /** Base64url. */
  id: string
  transports?: string[]
}

/** The options of `navigator.credentials.get`, and the sealed text that comes back with the answer. */
export interface BegunAssertion {
  options: { publicKey: RequestOptions }
  session: string
}

/** @param list The passkeys of a user; `undefined` for any that are discoverable. */
export function requestOptions(
  { challenge }: Ceremony,
  rpId: string,
  list?: Descriptor[],
): RequestOptions {
  return {
    challenge: base64url.encode(challenge),
    timeout: CEREMONY_MILLISECONDS,
    rpId,
    ...(list !== undefined && { allowCredentials: list }),
    userVerification: 'required',
  }
}

/** Begins a sign-in with any discoverable passkey, which reads nothing and writes nothing. */
export async function beginForAnybody(
  deps: Pick<Deps, 'keyRing' | 'randomBytes' | 'now'>,
  { rpId }: RelyingParty,
): Promise<BegunAssertion> {
  const { ceremony, session } = await beginCeremony(deps, 'assertion', undefined)
  return { options: { publicKey: requestOptions(ceremony, rpId) }, session }
}
