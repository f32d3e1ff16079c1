import type { Deps } from '../deps.ts'
import { sha256Hex } from '../base/encoding.ts'
import { toBase32 } from '../base/base32.ts'

export const RECOVERY_CODE_COUNT = 10
/** Eighty bits: nobody guesses one, so a plain hash of it is enough. */
const CODE_BYTES = 10

/** @returns As in `ABCD-EFGH-IJKL-MNOP`. */
export function makeRecoveryCode(deps: Pick<Deps, 'randomBytes'>): string {
  return toBase32(deps.randomBytes(CODE_BYTES)).replaceAll(/.{4}(?=.)/g, '$&-')
}

/** Tells whether a text has the form of a recovery code: no time step's code has. */
export function isRecoveryCode(code: string): boolean {
  return /^[A-Z2-7]{16}$/.test(normalize(code))
}

/** What is stored of a recovery code, typed in either case, with or without its hyphens. */
export function hashRecoveryCode(userId: number, code: string): Promise<string> {
  return sha256Hex(`latchkey/recovery/${userId}/${normalize(code)}`)
}

function normalize(code: string): string {
  return code.toUpperCase().replaceAll(/[\s-]/g, '')
}
