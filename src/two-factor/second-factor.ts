import type { KeyRing } from '../tokens/key-ring.ts'
import { hashRecoveryCode } from './recovery.ts'
import { openSeed } from './sealed.ts'
import { findTimeStep } from './totp.ts'

/**
 * What a code can be to a user: the code of a time step, or else a recovery code, which the user
 * may or may not have. Whether it is good, the statement that uses it up finds out.
 */
export type SecondFactor =
  { kind: 'time step'; timeStep: number } | { kind: 'recovery code'; hash: string }

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
  const timeStep = findTimeStep(await openSeed(ring, user.totpSeed, user.id), code, now)
  if (timeStep !== undefined) return { kind: 'time step', timeStep }
  return { kind: 'recovery code', hash: await hashRecoveryCode(user.id, code) }
}
