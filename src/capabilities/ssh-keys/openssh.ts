import { sha256 } from '@noble/hashes/sha2.js'
import { toBareBase64, toBase64 } from '../../core/base/encoding.ts'
import { CURVES } from '../../core/crypto/curves.ts'
import { readPasted } from './pasted.ts'
import { checkEcdsa, checkEd25519, checkRsa } from '../../core/crypto/soundness.ts'
import { bitLength, KeyError, WireReader } from '../../core/crypto/wire.ts'
import type { KeyReason } from '../../core/base/reasons.ts'

/** A public key that may be used to sign in. */
export interface PublicKey {
  type: string
  /** The decoded second field of a `.pub` file. */
  blob: Uint8Array<ArrayBuffer>
  /** The size that `ssh-keygen -l` prints. */
  bits: number
  comment: string
  /** `SHA256:` and the unpadded base64 of SHA-256 over the key data, as printed by `ssh-keygen -l`. */
  fingerprint: string
  /** The canonical line: type, base64 of the key data, comment. */
  line: string
}

/** Readers of the key data after the type, for each accepted type. Each returns the size in bits. */
const formats: Record<string, (key: WireReader) => number> = {
  'ssh-ed25519': readEd25519,
  'sk-ssh-ed25519@openssh.com': withApplication(readEd25519),
  'ssh-rsa': readRsa,
  'ecdsa-sha2-nistp256': (key) => readEcdsa(key, 'nistp256'),
  'ecdsa-sha2-nistp384': (key) => readEcdsa(key, 'nistp384'),
  'ecdsa-sha2-nistp521': (key) => readEcdsa(key, 'nistp521'),
  'sk-ecdsa-sha2-nistp256@openssh.com': withApplication((key) => readEcdsa(key, 'nistp256')),
}

/**
 * Reads the one public key in a pasted text (see `readPasted` for the forms) and checks that it is
 * sound.
 *
 * @throws {KeyError} With the reason, for any other text.
 * @see RFC 4253 section 6.6, RFC 5656 section 3.1, RFC 8709 section 4, OpenSSH's PROTOCOL.u2f
 */
export function parsePublicKey(text: string): PublicKey {
  const { type, blob, comment } = readPasted(text)
  const format = Object.hasOwn(formats, type) ? formats[type] : undefined
  if (format === undefined) throw new KeyError(reasonAgainst(type))
  const key = new WireReader(blob)
  if (key.name('type') !== type) throw new KeyError('keyOtherType', { type })
  const bits = format(key)
  key.end()
  return {
    type,
    blob,
    bits,
    comment,
    fingerprint: `SHA256:${toBareBase64(sha256(blob))}`,
    line: [type, toBase64(blob), comment].join(' ').trimEnd(),
  }
}

function reasonAgainst(type: string): KeyReason {
  if (type.includes('-cert-v')) return 'keyCertificate'
  if (type === 'ssh-dss') return 'keyDsa'
  return 'keyType'
}

function readEd25519(key: WireReader): number {
  const point = key.string('public key')
  if (point.length !== 32) throw new KeyError('keyEd25519Length')
  checkEd25519(point)
  return 256
}

function readRsa(key: WireReader): number {
  const exponent = key.positiveInteger('exponent')
  const modulus = key.positiveInteger('modulus')
  checkRsa(exponent, modulus)
  return bitLength(modulus)
}

function readEcdsa(key: WireReader, curveName: string): number {
  const curve = CURVES.find((known) => known.name === curveName)
  if (curve === undefined || key.name('curve') !== curveName) throw new KeyError('keyCurve')
  const point = key.string('point')
  const size = Math.ceil(curve.bits / 8)
  if (point[0] !== 4 || point.length !== 1 + 2 * size) {
    throw new KeyError('keyPointForm')
  }
  checkEcdsa(curve, point.subarray(1, 1 + size), point.subarray(1 + size))
  return curve.bits
}

/** Adds the application to a format. It is the last field in the key of a security token. */
function withApplication(format: (key: WireReader) => number) {
  return (key: WireReader) => {
    const bits = format(key)
    if (key.string('application').includes(0)) throw new KeyError('keyApplication')
    return bits
  }
}
