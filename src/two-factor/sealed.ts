import { base64url } from 'jose'
import type { Deps } from '../deps.ts'
import type { KeyRing } from '../tokens/key-ring.ts'

/** Size of the nonce. @see NIST SP 800-38D section 5.2.1.1 */
const NONCE_BYTES = 12

/**
 * Seals a TOTP seed for its row: AES-256-GCM under the newest key, the user's id as additional
 * data, so that a sealed seed copied to another user's row does not open there.
 *
 * @returns `<key id>.<base64url of nonce and ciphertext>`
 */
export async function sealSeed(
  deps: Pick<Deps, 'randomBytes'>,
  ring: KeyRing,
  seed: Uint8Array<ArrayBuffer>,
  userId: number,
): Promise<string> {
  const nonce = deps.randomBytes(NONCE_BYTES)
  const box = await crypto.subtle.encrypt(gcm(nonce, userId), ring.current.seal, seed)
  return `${ring.current.id}.${base64url.encode(new Uint8Array([...nonce, ...new Uint8Array(box)]))}`
}

/**
 * Opens what `sealSeed` wrote.
 *
 * @throws {Error} When the key is no longer in the ring, or the box was altered or belongs to
 *   somebody else.
 */
export async function openSeed(
  ring: KeyRing,
  sealed: string,
  userId: number,
): Promise<Uint8Array<ArrayBuffer>> {
  const [keyId = '', box = ''] = sealed.split('.')
  const key = ring.find(keyId)
  if (key === undefined)
    throw new Error(`no key ${keyId} in SECRET_KEYS opens the seed of user ${userId}`)
  const bytes = base64url.decode(box)
  const nonce = bytes.slice(0, NONCE_BYTES)
  return new Uint8Array(
    await crypto.subtle.decrypt(gcm(nonce, userId), key.seal, bytes.slice(NONCE_BYTES)),
  )
}

/**
 * Seals a seed anew that an older key has sealed, so that the older key may go.
 *
 * @returns `undefined` for a seed under the newest key.
 */
export async function resealSeed(
  deps: Pick<Deps, 'randomBytes'>,
  ring: KeyRing,
  sealed: string,
  userId: number,
): Promise<string | undefined> {
  if (sealed.startsWith(`${ring.current.id}.`)) return undefined
  return sealSeed(deps, ring, await openSeed(ring, sealed, userId), userId)
}

function gcm(iv: Uint8Array<ArrayBuffer>, userId: number) {
  return { name: 'AES-GCM', iv, additionalData: new TextEncoder().encode(`totp/${userId}`) }
}
