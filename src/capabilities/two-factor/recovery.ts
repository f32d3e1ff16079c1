import type { Deps } from '../../core/deps.ts'
import { sha256Hex } from '../../core/base/encoding.ts'
import { toBase32 } from '../../core/base/base32.ts'

export const RECOVERY_CODE_COUNT = 10
/** Eighty random bits can't be guessed, so a plain hash of the code is enough. */
const CODE_BYTES = 10

/** Creates a code such as `ABCD-EFGH-IJKL-MNOP`. */
function makeRecoveryCode(deps: Pick<Deps, 'randomBytes'>): string {
  return toBase32(deps.randomBytes(CODE_BYTES)).replaceAll(/.{4}(?=.)/g, '$&-')
}

/** Creates ten codes, with the hashes to store. */
export async function makeRecoveryCodes(deps: Pick<Deps, 'randomBytes'>, userId: number) {
  const codes = Array.from({ length: RECOVERY_CODE_COUNT }, () => makeRecoveryCode(deps))
  const hashes = await Promise.all(codes.map((code) => hashRecoveryCode(userId, code)))
  return { codes, hashes }
}

/** Tells whether a text has the form of a recovery code. No code of a time step has this form. */
export function isRecoveryCode(code: string): boolean {
  return /^[A-Z2-7]{16}$/.test(normalize(code))
}

/**
 * Hashes a recovery code for storage. Upper and lower case, with and without hyphens, give the same
 * hash.
 */
export function hashRecoveryCode(userId: number, code: string): Promise<string> {
  return sha256Hex(`latchkey/recovery/${userId}/${normalize(code)}`)
}

function normalize(code: string): string {
  return code.toUpperCase().replaceAll(/[\s-]/g, '')
}
