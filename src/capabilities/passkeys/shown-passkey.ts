import * as base64url from 'jose/base64url'
import { equalBytes, fromBase64Url } from '../../core/base/encoding.ts'
import type { RelyingParty } from '../../core/base/passkey-site.ts'
import type { AssertionAnswer } from './answer-schemas.ts'
import { type Assertion, verifyAssertion } from './verification.ts'
import { PasskeyError } from './reasons.ts'
import type { Ceremony } from './session-text.ts'
import type { Credential } from './store.ts'
import { userHandleOf } from './user-handle.ts'

/** An answer of a passkey, with the text of its ceremony. */
export interface ShownPasskey {
  answer: AssertionAnswer
  /** The session text of `beginAssertion`, as the client sends it back. */
  session: string
  relyingParty: RelyingParty
}

/** An answer that is right, and the stored credential that has given it. */
export interface CheckedAnswer {
  credential: Credential
  assertion: Assertion
}

/** The id by which a credential is stored. */
export function credentialIdOf({ id }: AssertionAnswer): string {
  return base64url.encode(id)
}

/**
 * Checks an answer against its ceremony and the stored credential: owner, user handle, then
 * everything in `verifyAssertion`.
 *
 * @throws {PasskeyError} The reason.
 */
export async function checkAnswer(
  { answer, relyingParty }: ShownPasskey,
  ceremony: Ceremony,
  credential: Credential | undefined,
): Promise<CheckedAnswer> {
  if (answer.rawId !== credentialIdOf(answer)) throw new PasskeyError('credential id')
  if (credential === undefined) throw new PasskeyError('unknown credential')
  const { userId } = credential
  if (ceremony.userId !== undefined && ceremony.userId !== userId)
    throw new PasskeyError('other user')
  checkUserHandle(answer.response.userHandle, ceremony, userId)
  if (!credential.isAllowedIn) throw new PasskeyError('owner')
  const { clientDataJSON: clientDataJson, authenticatorData, signature } = answer.response
  const publicKey = fromBase64Url(credential.publicKey) ?? new Uint8Array()
  const assertion = await verifyAssertion(
    { ...relyingParty, challenge: ceremony.challenge },
    { publicKey, signCount: credential.signCount, isBackupEligible: credential.backupEligible },
    { clientDataJson, authenticatorData, signature },
  )
  return { credential, assertion }
}

/** @see https://www.w3.org/TR/webauthn-3/#sctn-verifying-assertion step 6 */
function checkUserHandle(
  handle: Uint8Array | null | undefined,
  ceremony: Ceremony,
  ownerId: number,
): void {
  if (!handle) {
    if (ceremony.userId === undefined) throw new PasskeyError('user handle')
    return
  }
  if (!equalBytes(handle, userHandleOf(ownerId))) throw new PasskeyError('user handle')
}
