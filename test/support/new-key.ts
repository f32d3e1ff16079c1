import { createHash, generateKeyPairSync } from 'node:crypto'

/** A fresh Ed25519 key as OpenSSH writes it, and its fingerprint. @see RFC 8709 section 4 */
export function newKey(): { line: string; fingerprint: string } {
  const spki = generateKeyPairSync('ed25519').publicKey.export({ type: 'spki', format: 'der' })
  const blob = Buffer.concat([field(Buffer.from('ssh-ed25519')), field(spki.subarray(-32))])
  const digest = createHash('sha256').update(blob).digest('base64').replace(/=+$/, '')
  return { line: `ssh-ed25519 ${blob.toString('base64')} bench`, fingerprint: `SHA256:${digest}` }
}

/** @see RFC 4251 section 5, `string` */
function field(bytes: Buffer): Buffer {
  const length = Buffer.alloc(4)
  length.writeUInt32BE(bytes.length)
  return Buffer.concat([length, bytes])
}
