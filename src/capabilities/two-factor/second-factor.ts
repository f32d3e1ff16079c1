import type { KeyRing } from '../../core/crypto/key-ring.ts'
import { hashRecoveryCode, isRecoveryCode } from './recovery.ts'
import { openSeed } from './sealed.ts'
import { findTimeStep } from './totp.ts'

/** The kind and value of a code. The statement that uses it up decides whether it can still be used. */
export type SecondFactor =
  | { kind: 'time step'; timeStep: number }
  | { kind: 'recovery code'; hash: string }
  | { kind: 'wrong' }

/** The part of a user's row that holds the second factor. Only this folder reads it. */
export interface WithSecondFactor {
  id: number
  /** Sealed; null while two-step verification is off. */
  totpSeed: string | null
}

/** The same part of the row of a user who has a second factor. */
export interface Enrolled extends WithSecondFactor {
  totpSeed: string
}

/** @param now Unix time, milliseconds. */
export async function readSecondFactor(
  ring: KeyRing,
  user: Enrolled,
  code: string,
  now: number,
): Promise<SecondFactor> {
  // Comes first, because it needs no seed: a recovery code works when the key of the seed is lost.
  if (isRecoveryCode(code))
    return { kind: 'recovery code', hash: await hashRecoveryCode(user.id, code) }
  const seed = await openSeed(ring, user.totpSeed, user.id)
  const timeStep = await findTimeStep(seed, code, now)
  return timeStep === undefined ? { kind: 'wrong' } : { kind: 'time step', timeStep }
}
