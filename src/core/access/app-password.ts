import { sha256 } from '@noble/hashes/sha2.js'
import { toHex } from '../base/encoding.ts'
import type { Deps } from '../deps.ts'
import { ALPHABET, checksumOf, PREFIX } from './app-password-form.ts'

/** 190 bits of randomness, so one SHA-256 protects the stored hash. */
const RANDOM_CHARACTERS = 32
/**
 * The largest multiple of 62 in a byte. Bytes from here on are dropped, so no character is
 * likelier.
 */
const UNBIASED_BYTES = 248

/** Creates an app password: the prefix, random characters and their checksum. */
export function makeAppPassword(deps: Pick<Deps, 'randomBytes'>): string {
  let random = ''
  while (random.length < RANDOM_CHARACTERS) {
    const bytes = deps.randomBytes(RANDOM_CHARACTERS).filter((byte) => byte < UNBIASED_BYTES)
    for (const byte of bytes) random += ALPHABET.charAt(byte % ALPHABET.length)
  }
  const text = PREFIX + random.slice(0, RANDOM_CHARACTERS)
  return text + checksumOf(text)
}

/**
 * Returns the SHA-256 under which an app password is stored, hexadecimal. For so short a text this
 * is faster than `crypto.subtle`.
 */
export function hashAppPassword(token: string): string {
  return toHex(sha256(new TextEncoder().encode(token)))
}
