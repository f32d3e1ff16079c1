import { equalBytes } from '../../core/base/encoding.ts'
import { type AuthenticatorData, parseAuthenticatorData } from './authenticator-data.ts'
import { readCborMap } from './cbor.ts'
import { checkClientData } from './client-data.ts'
import { type Algorithm, checkPublicKey, importPublicKey } from './cose.ts'
import { PasskeyError } from './reasons.ts'

/** The values that an answer must fit. */
interface Expected {
  challenge: Uint8Array
  /** The origins that may ask for an answer, exactly as browsers write them. */
  origins: readonly string[]
  rpId: string
}

/** The answer of an authenticator that made a credential. */
interface RegistrationResponse {
  id: Uint8Array<ArrayBuffer>
  clientDataJson: Uint8Array<ArrayBuffer>
  attestationObject: Uint8Array<ArrayBuffer>
}

/** A credential that `verifyRegistration` accepted. */
export interface NewCredential {
  id: Uint8Array<ArrayBuffer>
  /** COSE_Key. */
  publicKey: Uint8Array<ArrayBuffer>
  algorithm: Algorithm
  signCount: number
  isBackupEligible: boolean
  isBackedUp: boolean
  aaguid: Uint8Array<ArrayBuffer>
}

/**
 * Verifies a new credential. Attestation is not asked for: a statement of any format but `none` is
 * accepted unverified, so the AAGUID is what the authenticator says of itself.
 *
 * @throws {PasskeyError} The reason.
 * @see https://www.w3.org/TR/webauthn-3/#sctn-registering-a-new-credential
 */
export async function verifyRegistration(
  expected: Expected,
  { id, clientDataJson, attestationObject }: RegistrationResponse,
): Promise<NewCredential> {
  checkClientData(clientDataJson, { ...expected, type: 'webauthn.create' })
  const data = parseAuthenticatorData(authenticatorDataIn(attestationObject))
  await checkFlags(data, expected.rpId)
  const { attested, signCount, isBackupEligible, isBackedUp } = data
  if (attested === undefined) throw new PasskeyError('attestation')
  if (!equalBytes(attested.id, id)) throw new PasskeyError('credential id')
  const algorithm = checkPublicKey(attested.publicKey)
  return { ...attested, algorithm, signCount, isBackupEligible, isBackedUp }
}

function authenticatorDataIn(attestationObject: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  const object = readCborMap(attestationObject)
  const [format, statement, data] = ['fmt', 'attStmt', 'authData'].map((name) => object.get(name))
  const isWhole = typeof format === 'string' && statement instanceof Map
  if (!isWhole || !(data instanceof Uint8Array)) throw new PasskeyError('attestation')
  // Section 8.7: nothing is stated.
  if (format === 'none' && statement.size > 0) throw new PasskeyError('attestation')
  return data
}

/** The answer of an authenticator that signed a challenge. */
interface AssertionResponse {
  clientDataJson: Uint8Array<ArrayBuffer>
  authenticatorData: Uint8Array<ArrayBuffer>
  signature: Uint8Array<ArrayBuffer>
}

/** The part of a stored credential that its answers must fit. */
interface KnownCredential {
  /** COSE_Key. */
  publicKey: Uint8Array<ArrayBuffer>
  signCount: number
  /** Null for an imported credential that has not been used here. */
  isBackupEligible: boolean | null
}

/** The statements of an accepted answer about its credential. */
export interface Assertion {
  signCount: number
  isBackupEligible: boolean
  isBackedUp: boolean
}

/**
 * Verifies the signature over a challenge. The counter is checked last, so that `counter` means a
 * genuine answer of a credential that exists twice.
 *
 * @throws {PasskeyError} The reason.
 * @see https://www.w3.org/TR/webauthn-3/#sctn-verifying-assertion
 */
export async function verifyAssertion(
  expected: Expected,
  credential: KnownCredential,
  { clientDataJson, authenticatorData, signature }: AssertionResponse,
): Promise<Assertion> {
  checkClientData(clientDataJson, { ...expected, type: 'webauthn.get' })
  const data = parseAuthenticatorData(authenticatorData)
  await checkFlags(data, expected.rpId)
  const { signCount, isBackupEligible, isBackedUp } = data
  if (credential.isBackupEligible !== null && credential.isBackupEligible !== isBackupEligible)
    throw new PasskeyError('backup eligibility')
  const key = await importPublicKey(credential.publicKey)
  const clientDataHash = await sha256(clientDataJson)
  const signed = new Uint8Array([...authenticatorData, ...clientDataHash])
  if (!(await key.verify(signature, signed))) throw new PasskeyError('signature')
  if (isCounterBack(credential.signCount, signCount)) throw new PasskeyError('counter')
  return { signCount, isBackupEligible, isBackedUp }
}

/** Tells whether a counter did not advance. Authenticators without a counter always send 0. */
function isCounterBack(stored: number, shown: number): boolean {
  return (stored !== 0 || shown !== 0) && shown <= stored
}

async function checkFlags(data: AuthenticatorData, rpId: string): Promise<void> {
  const rpIdHash = await sha256(Uint8Array.from(new TextEncoder().encode(rpId)))
  if (!equalBytes(data.rpIdHash, rpIdHash)) throw new PasskeyError('rp id')
  if (!data.isUserPresent) throw new PasskeyError('user presence')
  if (!data.isUserVerified) throw new PasskeyError('user verification')
  if (data.isBackedUp && !data.isBackupEligible) throw new PasskeyError('backup state')
}

async function sha256(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))
}
