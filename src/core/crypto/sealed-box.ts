import * as base64url from 'jose/base64url'
import type { KeyRing, SealingPurpose } from './key-ring.ts'

/** Size of the nonce. @see NIST SP 800-38D section 5.2.1.1 */
const NONCE_BYTES = 12

/** The part of `Deps` that gives random bytes. */
export interface RandomSource {
  randomBytes: (length: number) => Uint8Array<ArrayBuffer>
}

/**
 * Seals bytes for one use: AES-256-GCM under the newest key.
 *
 * @param use Additional data: a box made for one use does not open for another.
 * @param purpose The key that seals.
 * @returns `<key id>.<base64url of nonce and ciphertext>`
 */
export async function sealBox(
  { randomBytes }: RandomSource,
  ring: KeyRing,
  bytes: Uint8Array<ArrayBuffer>,
  use: string,
  purpose: SealingPurpose = 'seal',
): Promise<string> {
  const nonce = randomBytes(NONCE_BYTES)
  const box = await crypto.subtle.encrypt(gcm(nonce, use), ring.current[purpose], bytes)
  return `${ring.current.id}.${base64url.encode(new Uint8Array([...nonce, ...new Uint8Array(box)]))}`
}

/**
 * Opens what `sealBox` wrote.
 *
 * @param content Names the content in the error, for an operator whose ring lacks the key.
 * @throws {Error} When the key is not in the ring, or the box was altered or sealed for another
 *   use.
 */
export async function openBox(
  ring: KeyRing,
  sealed: string,
  use: string,
  content: string,
  purpose: SealingPurpose = 'seal',
): Promise<Uint8Array<ArrayBuffer>> {
  const [keyId = '', box = ''] = sealed.split('.')
  const key = ring.find(keyId)
  if (key === undefined) throw new Error(`no key ${keyId} in SECRET_KEYS opens ${content}`)
  const bytes = base64url.decode(box)
  const nonce = bytes.slice(0, NONCE_BYTES)
  return new Uint8Array(
    await crypto.subtle.decrypt(gcm(nonce, use), key[purpose], bytes.slice(NONCE_BYTES)),
  )
}

function gcm(iv: Uint8Array<ArrayBuffer>, use: string) {
  return { name: 'AES-GCM', iv, additionalData: new TextEncoder().encode(use) }
}
