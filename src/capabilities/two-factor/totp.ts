import type { HOTP } from '@otplib/core'
import { toHex } from '../../core/base/encoding.ts'
import { toBase32 } from '../../core/base/base32.ts'

const STEP_SECONDS = 30
/** Clocks of phones drift by seconds, not minutes. */
const DRIFT_STEPS = 1
export const SEED_BYTES = 20

/**
 * Finds the time step a six-digit code belongs to, one step of drift either way.
 *
 * @param now Unix time, milliseconds.
 * @returns The step, so that the caller can refuse it a second time; `undefined` when no step
 *   matches.
 * @see RFC 6238 section 5.2
 */
export async function findTimeStep(
  seed: Uint8Array,
  code: string,
  now: number,
): Promise<number | undefined> {
  const digits = code.trim()
  const current = timeStepAt(now)
  let found: number | undefined
  for (let step = current - DRIFT_STEPS; step <= current + DRIFT_STEPS; step++) {
    if ((await codeAt(seed, step)) === digits) found = step
  }
  return found
}

/** Computes the six digits of a time step. @see RFC 4226 section 5.3 */
export async function codeAt(seed: Uint8Array, step: number): Promise<string> {
  hotp ??= await loadHotp()
  return hotp.generate(toHex(seed), step)
}

let hotp: HOTP | undefined

/** Loads the library at the first code, so that it does not slow down every start. */
async function loadHotp(): Promise<HOTP> {
  // The library takes it from the globals of Node, which the Worker has none of.
  const { Buffer } = await import('node:buffer')
  Object.assign(globalThis, { Buffer })
  const { HOTP, KeyEncodings } = await import('@otplib/core')
  const { createDigest } = await import('@otplib/plugin-crypto-js')
  return new HOTP({ createDigest, encoding: KeyEncodings.HEX })
}

export function timeStepAt(now: number): number {
  return Math.floor(now / 1000 / STEP_SECONDS)
}

/**
 * The largest QR code has room for three labels of this length with twelve bytes for each
 * character.
 */
const MAX_LABEL_CHARACTERS = 48

/** Returns the text of the QR code for an authenticator app (docs/interface.md, Values). */
export function enrolmentUri(issuer: string, username: string, seed: Uint8Array): string {
  const label = uriLabel(issuer)
  return `otpauth://totp/${label}:${uriLabel(username)}?secret=${toBase32(seed)}&issuer=${label}&algorithm=SHA1&digits=6&period=${STEP_SECONDS}`
}

function uriLabel(name: string): string {
  return encodeURIComponent(Array.from(name.toWellFormed()).slice(0, MAX_LABEL_CHARACTERS).join(''))
}
