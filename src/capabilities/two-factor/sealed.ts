import type { Deps } from '../../core/deps.ts'
import type { KeyRing } from '../../core/crypto/key-ring.ts'
import { openBox, sealBox } from '../../core/crypto/sealed-box.ts'

/**
 * Seals a TOTP seed for the row of a user. The user id is part of the seal, so a sealed seed copied
 * to another user's row does not open there.
 */
export function sealSeed(
  deps: Pick<Deps, 'randomBytes'>,
  ring: KeyRing,
  seed: Uint8Array<ArrayBuffer>,
  userId: number,
): Promise<string> {
  return sealBox(deps, ring, seed, seedUse(userId))
}

/**
 * Opens a seed that `sealSeed` sealed.
 *
 * @throws {Error} When the key is no longer in the ring, or the box was altered or belongs to
 *   another user.
 */
export function openSeed(
  ring: KeyRing,
  sealed: string,
  userId: number,
): Promise<Uint8Array<ArrayBuffer>> {
  return openBox(ring, sealed, seedUse(userId), `the seed of user ${userId}`)
}

/**
 * Seals a seed with the newest key when an older key sealed it, so that an operator can remove the
 * older key.
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

/** Returns the purpose of the seal. Stored seeds depend on it, so it can never change. */
export function seedUse(userId: number): string {
  return `totp/${userId}`
}
