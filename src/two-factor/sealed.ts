import type { Deps } from '../deps.ts'
import type { KeyRing } from '../crypto/key-ring.ts'
import { openBox, sealBox } from '../crypto/sealed-box.ts'

/**
 * Seals a TOTP seed for its row, to the user's id, so that a sealed seed copied to another user's
 * row does not open there.
 */
export function sealSeed(
  deps: Pick<Deps, 'randomBytes'>,
  ring: KeyRing,
  seed: Uint8Array<ArrayBuffer>,
  userId: number,
): Promise<string> {
  return sealBox(deps, ring, seed, useOf(userId))
}

/**
 * Opens what `sealSeed` wrote.
 *
 * @throws {Error} When the key is no longer in the ring, or the box was altered or belongs to
 *   somebody else.
 */
export function openSeed(
  ring: KeyRing,
  sealed: string,
  userId: number,
): Promise<Uint8Array<ArrayBuffer>> {
  return openBox(ring, sealed, useOf(userId), `the seed of user ${userId}`)
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

/** Part of what is stored: it can never change. */
function useOf(userId: number): string {
  return `totp/${userId}`
}
