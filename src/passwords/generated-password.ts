import * as base64url from 'jose/base64url'
import type { Deps } from '../deps.ts'

const BYTES = 15

/** 120 bits, as text that a person can copy. */
export function generatePassword({ randomBytes }: Pick<Deps, 'randomBytes'>): string {
  return base64url.encode(randomBytes(BYTES))
}
