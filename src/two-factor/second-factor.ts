import type { KeyRing } from '../crypto/key-ring.ts'
import { hashRecoveryCode, isRecoveryCode } from './recovery.ts'
import { openSeed } from './sealed.ts'
import { findTimeStep } from './totp.ts'

/** What a code turns out to be. Whether it is still good, the statement that uses it up finds out. */
export type SecondFactor =
  | { kind: 'time step'; timeStep: number }
  | { kind: 'recovery code'; hash: string }
  | { kind: 'wrong' }

/** The part of a user's row that a second factor is checked against. */
export interface Enrolled {
  id: number
  /** Sealed. */
  totpSeed: string
}

/** @param now Unix time, milliseconds. */
export async function readSecondFactor(
  ring: KeyRing,
  user: Enrolled,
  code: string,
  now: number,
): Promise<SecondFactor> {
  // First, because it needs no seed: the way back is open even when the key that sealed the seed is lost.
  if (isRecoveryCode(code))
    return { kind: 'recovery code', hash: await hashRecoveryCode(user.id, code) }
  const seed = await openSeed(ring, user.totpSeed, user.id)
  const timeStep = await findTimeStep(seed, code, now)
  return timeStep === undefined ? { kind: 'wrong' } : { kind: 'time step', timeStep }
}
