import { createHash, generateKeyPairSync } from 'node:crypto'

interface NewKey {
  /** As OpenSSH writes it. */
  line: string
  fingerprint: string
}

/** A fresh Ed25519 key. @see RFC 8709 section 4 */
export function newKey(): NewKey {
  const spki = generateKeyPairSync('ed25519').publicKey.export({ type: 'spki', format: 'der' })
  return keyOf('ssh-ed25519', [spki.subarray(-32)])
}

/** A fresh RSA key of the length that `ssh-keygen` takes. @see RFC 4253 section 6.6 */
export function newRsaKey(): NewKey {
  const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 3072 })
  const { e = '', n = '' } = publicKey.export({ format: 'jwk' })
  // Its first bit is 1, so an integer needs a zero byte before it.
  const modulus = Buffer.concat([Buffer.alloc(1), Buffer.from(n, 'base64url')])
  return keyOf('ssh-rsa', [Buffer.from(e, 'base64url'), modulus])
}

function keyOf(type: string, parts: readonly Buffer[]): NewKey {
  const blob = Buffer.concat([Buffer.from(type), ...parts].map(field))
  const digest = createHash('sha256').update(blob).digest('base64').replace(/=+$/, '')
  return { line: `${type} ${blob.toString('base64')} bench`, fingerprint: `SHA256:${digest}` }
}

/** @see RFC 4251 section 5, `string` */
function field(bytes: Buffer): Buffer {
  const length = Buffer.alloc(4)
  length.writeUInt32BE(bytes.length)
  return Buffer.concat([length, bytes])
}
