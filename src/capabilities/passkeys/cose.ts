import * as base64url from 'jose/base64url'
import { CURVES } from '../../core/crypto/curves.ts'
import { checkEcdsa, checkEd25519, checkRsa } from '../../core/crypto/soundness.ts'
import { KeyError } from '../../core/crypto/wire.ts'
import { type Cbor, type CborMap, readCborMap } from './cbor.ts'
import { rawSignature } from './der.ts'
import { PasskeyError } from './reasons.ts'

/** The COSE algorithms that are offered, the preferred one first: ES256, EdDSA, RS256. */
export const ALGORITHMS = [-7, -8, -257] as const

export type Algorithm = (typeof ALGORITHMS)[number]

/** Labels of COSE_Key. @see RFC 9052 section 7.1, RFC 9053 section 7, RFC 8230 section 4 */
const [KTY, ALG, CRV_OR_N, X_OR_E, Y] = [1, 3, -1, -2, -3]
const OKP = 1
const EC2 = 2
const RSA = 3
const P256 = 1
const ED25519 = 6
const COORDINATE_BYTES = 32
const ED25519_SIGNATURE_BYTES = 64

/** A public key that can verify. */
interface VerificationKey {
  algorithm: Algorithm
  /** @param signature As the authenticator writes it. */
  verify: (signature: Uint8Array<ArrayBuffer>, data: Uint8Array<ArrayBuffer>) => Promise<boolean>
}

/** A checked key in the form that WebCrypto imports. */
type Material =
  | { algorithm: -7; point: Uint8Array<ArrayBuffer> }
  | { algorithm: -8; point: Uint8Array<ArrayBuffer> }
  | { algorithm: -257; modulus: Uint8Array<ArrayBuffer>; exponent: Uint8Array<ArrayBuffer> }

/**
 * Reads and checks a COSE_Key of an offered algorithm. It has the parameters of its type and no
 * others (section 6.5.1.1). Its point is on its curve; an RSA key has 2048 to 8192 bits.
 *
 * @returns Its algorithm.
 * @throws {PasskeyError} `public key`, `cbor`.
 */
export function checkPublicKey(cose: Uint8Array<ArrayBuffer>): Algorithm {
  return materialOf(cose).algorithm
}

/** Imports a key that `checkPublicKey` accepts. @throws {PasskeyError} `public key`, `cbor`. */
export async function importPublicKey(cose: Uint8Array<ArrayBuffer>): Promise<VerificationKey> {
  const material = materialOf(cose)
  try {
    return await importMaterial(material)
  } catch (error) {
    if (error instanceof PasskeyError) throw error
    throw new PasskeyError('public key')
  }
}

function materialOf(cose: Uint8Array<ArrayBuffer>): Material {
  const map = readCborMap(cose)
  try {
    const material = ecMaterial(map) ?? edMaterial(map) ?? rsaMaterial(map)
    if (material !== undefined) return material
  } catch (error) {
    if (!(error instanceof KeyError)) throw error
  }
  throw new PasskeyError('public key')
}

function ecMaterial(map: CborMap): Material | undefined {
  const [x, y] = [map.get(X_OR_E), map.get(Y)]
  if (!hasExactly(map, { [KTY]: EC2, [ALG]: -7, [CRV_OR_N]: P256 }, [X_OR_E, Y])) return undefined
  if (!isCoordinate(x) || !isCoordinate(y)) return undefined
  const [p256] = CURVES
  if (p256 === undefined) return undefined
  checkEcdsa(p256, x, y)
  return { algorithm: -7, point: new Uint8Array([4, ...x, ...y]) }
}

function edMaterial(map: CborMap): Material | undefined {
  const x = map.get(X_OR_E)
  if (!hasExactly(map, { [KTY]: OKP, [ALG]: -8, [CRV_OR_N]: ED25519 }, [X_OR_E])) return undefined
  if (!isCoordinate(x)) return undefined
  checkEd25519(x)
  return { algorithm: -8, point: x }
}

function rsaMaterial(map: CborMap): Material | undefined {
  const [modulus, exponent] = [map.get(CRV_OR_N), map.get(X_OR_E)]
  if (!hasExactly(map, { [KTY]: RSA, [ALG]: -257 }, [CRV_OR_N, X_OR_E])) return undefined
  if (!isNatural(modulus) || !isNatural(exponent)) return undefined
  checkRsa(exponent, modulus)
  return { algorithm: -257, modulus, exponent }
}

/** Tells whether a key has these values, these further parameters, and nothing else. */
function hasExactly(map: CborMap, values: Record<number, number>, others: number[]): boolean {
  const wanted = Object.entries(values)
  return (
    map.size === wanted.length + others.length &&
    wanted.every(([label, value]) => map.get(Number(label)) === value) &&
    others.every((label) => map.has(label))
  )
}

function isCoordinate(value: Cbor | undefined): value is Uint8Array<ArrayBuffer> {
  return value instanceof Uint8Array && value.length === COORDINATE_BYTES
}

/** Tells whether a value is a positive number in its shortest form. */
function isNatural(value: Cbor | undefined): value is Uint8Array<ArrayBuffer> {
  return value instanceof Uint8Array && value.length > 0 && value[0] !== 0
}

async function importMaterial(material: Material): Promise<VerificationKey> {
  const { algorithm } = material
  if (algorithm === -7) {
    const name = { name: 'ECDSA', namedCurve: 'P-256' }
    const key = await crypto.subtle.importKey('raw', material.point, name, false, ['verify'])
    const hash = { name: 'ECDSA', hash: 'SHA-256' }
    const verify: VerificationKey['verify'] = async (signature, data) => {
      const raw = rawSignature(signature)
      return raw !== undefined && crypto.subtle.verify(hash, key, raw, data)
    }
    return { algorithm, verify }
  }
  if (algorithm === -8) {
    const key = await crypto.subtle.importKey('raw', material.point, 'Ed25519', false, ['verify'])
    // Workerd throws for a signature of another length.
    const verify: VerificationKey['verify'] = async (signature, data) =>
      signature.length === ED25519_SIGNATURE_BYTES &&
      crypto.subtle.verify('Ed25519', key, signature, data)
    return { algorithm, verify }
  }
  const name = { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' }
  const jwk = {
    kty: 'RSA',
    n: base64url.encode(material.modulus),
    e: base64url.encode(material.exponent),
  }
  const key = await crypto.subtle.importKey('jwk', jwk, name, false, ['verify'])
  return {
    algorithm,
    verify: (signature, data) => crypto.subtle.verify(name, key, signature, data),
  }
}
