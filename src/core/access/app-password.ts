import { sha256 } from '@noble/hashes/sha2.js'
import { crc32 } from '../base/crc-32.ts'
import { toHex } from '../base/encoding.ts'
import type { Deps } from '../deps.ts'

/** Lets scanners of public code recognise an app password. */
const PREFIX = 'lk_'
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
/** 190 bits of randomness, so one SHA-256 protects the stored hash. */
const RANDOM_CHARACTERS = 32
/** 62^6 is more than 2^32. */
const CHECKSUM_CHARACTERS = 6
const PATTERN = /^lk_[0-9A-Za-z]{38}$/
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

/** Tells whether a text begins like an app password. No session token does. */
export function looksLikeAppPassword(text: string): boolean {
  return text.startsWith(PREFIX)
}

/** Tells whether a text has the form of an app password; the checksum may be wrong. */
export function hasAppPasswordForm(text: string): boolean {
  return PATTERN.test(text)
}

/** Tells whether form and checksum are right, which a mistyped or cut app password fails. */
export function isAppPassword(text: string): boolean {
  return hasAppPasswordForm(text) && text.endsWith(checksumOf(text.slice(0, -CHECKSUM_CHARACTERS)))
}

/**
 * Returns the SHA-256 under which an app password is stored, hexadecimal. For so short a text this
 * is faster than `crypto.subtle`.
 */
export function hashAppPassword(token: string): string {
  return toHex(sha256(new TextEncoder().encode(token)))
}

/** Returns the CRC-32 of a text in base 62, the most significant digit first. */
export function checksumOf(text: string): string {
  let rest = crc32(new TextEncoder().encode(text))
  let digits = ''
  for (let place = 0; place < CHECKSUM_CHARACTERS; place++) {
    digits = ALPHABET.charAt(rest % ALPHABET.length) + digits
    rest = Math.floor(rest / ALPHABET.length)
  }
  return digits
}
