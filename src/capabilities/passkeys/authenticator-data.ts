import { readCbor } from './cbor.ts'
import { PasskeyError } from './reasons.ts'

const HASH_BYTES = 32
const AAGUID_BYTES = 16
const MAX_ID_BYTES = 1023

const FLAG = {
  userPresent: 0x01,
  userVerified: 0x04,
  backupEligible: 0x08,
  backedUp: 0x10,
  attested: 0x40,
  extensions: 0x80,
} as const

/** The parsed authenticator data. */
export interface AuthenticatorData {
  rpIdHash: Uint8Array<ArrayBuffer>
  isUserPresent: boolean
  isUserVerified: boolean
  isBackupEligible: boolean
  isBackedUp: boolean
  signCount: number
  /** The new credential; only at a registration. */
  attested: AttestedCredential | undefined
}

/** A new credential, as its authenticator describes it. */
interface AttestedCredential {
  aaguid: Uint8Array<ArrayBuffer>
  id: Uint8Array<ArrayBuffer>
  /** COSE_Key. */
  publicKey: Uint8Array<ArrayBuffer>
}

/**
 * Parses authenticator data, to its last byte.
 *
 * @throws {PasskeyError} `authenticator data`; `cbor` for a key or an extension; `credential id`
 *   for a length that is not 1 to 1023.
 * @see https://www.w3.org/TR/webauthn-3/#sctn-authenticator-data
 */
export function parseAuthenticatorData(bytes: Uint8Array<ArrayBuffer>): AuthenticatorData {
  if (bytes.length < HASH_BYTES + 5) throw new PasskeyError('authenticator data')
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const flags = view.getUint8(HASH_BYTES)
  const has = (flag: number) => (flags & flag) !== 0
  let end = HASH_BYTES + 5
  let attested: AttestedCredential | undefined
  if (has(FLAG.attested)) ({ attested, end } = parseAttested(bytes, view, end))
  if (has(FLAG.extensions)) {
    const extensions = readCbor(bytes, end)
    if (!(extensions.value instanceof Map)) throw new PasskeyError('authenticator data')
    end = extensions.end
  }
  if (end !== bytes.length) throw new PasskeyError('authenticator data')
  return {
    rpIdHash: bytes.slice(0, HASH_BYTES),
    isUserPresent: has(FLAG.userPresent),
    isUserVerified: has(FLAG.userVerified),
    isBackupEligible: has(FLAG.backupEligible),
    isBackedUp: has(FLAG.backedUp),
    signCount: view.getUint32(HASH_BYTES + 1),
    attested,
  }
}

/** @see https://www.w3.org/TR/webauthn-3/#sctn-attested-credential-data */
function parseAttested(bytes: Uint8Array<ArrayBuffer>, view: DataView, start: number) {
  const idStart = start + AAGUID_BYTES + 2
  if (bytes.length < idStart) throw new PasskeyError('authenticator data')
  const idLength = view.getUint16(start + AAGUID_BYTES)
  if (idLength === 0 || idLength > MAX_ID_BYTES) throw new PasskeyError('credential id')
  const keyStart = idStart + idLength
  if (bytes.length < keyStart) throw new PasskeyError('authenticator data')
  const { end } = readCbor(bytes, keyStart)
  const attested: AttestedCredential = {
    aaguid: bytes.slice(start, start + AAGUID_BYTES),
    id: bytes.slice(idStart, keyStart),
    publicKey: bytes.slice(keyStart, end),
  }
  return { attested, end }
}
