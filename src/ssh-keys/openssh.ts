import { sha256 } from '@noble/hashes/sha2.js'
import { fromBase64, toBareBase64 } from '../encoding.ts'
import { CURVES, isOnCurve } from './curves.ts'
import { KeyError, toBigInt, WireReader } from './wire.ts'

/** A public key as OpenSSH writes it. */
export interface PublicKey {
  type: string
  /** Size as `ssh-keygen -l` prints it. */
  bits: number
  /** `SHA256:` and the unpadded base64 of SHA-256 over the key data, as `ssh-keygen -l` prints it. */
  fingerprint: string
  comment: string
  /** The canonical line: type, base64 of the key data, comment. */
  line: string
}

const MAX_KEY_CHARACTERS = 16 * 1024

/** What follows the type in the key data, for each type that is taken; each gives the size in bits. */
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
 * Reads the one public key in `text`: type, base64 and an optional comment, as in a `.pub` file.
 *
 * @throws {KeyError} With the reason, for anything else.
 * @see RFC 4253 section 6.6, RFC 5656 section 3.1, RFC 8709 section 4, OpenSSH's PROTOCOL.u2f
 */
export function parsePublicKey(text: string): PublicKey {
  if (text.length > MAX_KEY_CHARACTERS) throw new KeyError('it is longer than 16 KiB')
  const [line = '', ...more] = text.replaceAll(/^[ \t\r\n]+|[ \t\r\n]+$/g, '').split(/[\r\n]+/)
  if (more.length > 0) throw new KeyError('it must be one key on one line')
  const [, type = '', base64 = '', comment = ''] =
    /^([^ \t]+)[ \t]+([^ \t]+)[ \t]*(.*)$/s.exec(line) ?? []
  const format = Object.hasOwn(formats, type) ? formats[type] : undefined
  if (format === undefined) throw new KeyError('it must begin with a key type such as ssh-ed25519')
  if (/[^\t\P{Cc}]/u.test(comment)) throw new KeyError('its comment has control characters')
  const blob = fromBase64(base64)
  if (blob === undefined) throw new KeyError('its base64 is broken')

  const key = new WireReader(blob)
  if (key.name('type') !== type) throw new KeyError(`it says ${type}, its data is of another type`)
  const bits = format(key)
  key.end()
  return {
    type,
    bits,
    fingerprint: `SHA256:${toBareBase64(sha256(blob))}`,
    comment,
    line: [type, base64, comment].join(' ').trimEnd(),
  }
}

function readEd25519(key: WireReader): number {
  if (key.string('public key').length !== 32) throw new KeyError('an Ed25519 key has 32 bytes')
  return 256
}

function readRsa(key: WireReader): number {
  key.positiveInteger('exponent')
  return key.positiveInteger('modulus').toString(2).length
}

function readEcdsa(key: WireReader, curveName: string): number {
  const curve = CURVES[curveName]
  if (curve === undefined || key.name('curve') !== curveName)
    throw new KeyError('its curve is not that of its type')
  const point = key.string('point')
  const size = Math.ceil(curve.bits / 8)
  if (point[0] !== 4 || point.length !== 1 + 2 * size)
    throw new KeyError('its point is not an uncompressed one')
  const [x, y] = [toBigInt(point.subarray(1, 1 + size)), toBigInt(point.subarray(1 + size))]
  if (!isOnCurve(curve, x, y)) throw new KeyError(`its point is not on ${curveName}`)
  return curve.bits
}

/** Keys of security tokens name the application they are for, last. */
function withApplication(format: (key: WireReader) => number) {
  return (key: WireReader) => {
    const bits = format(key)
    key.string('application')
    return bits
  }
}
