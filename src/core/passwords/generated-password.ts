import * as base64url from 'jose/base64url'
import type { Deps } from '../deps.ts'

const BYTES = 15

/**
 * Generates a password of 120 random bits, as base64url. It does not begin with `-`, which programs
 * would take for an option.
 */
export function generatePassword({ randomBytes }: Pick<Deps, 'randomBytes'>): string {
  return base64url.encode(randomBytes(BYTES)).replace(/^-/, '_')
}
