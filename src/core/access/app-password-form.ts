import { crc32 } from '../base/crc-32.ts'

/** Lets scanners of public code recognise an app password. */
export const PREFIX = 'lk_'
export const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
/** 62^6 is more than 2^32. */
const CHECKSUM_CHARACTERS = 6
const PATTERN = /^lk_[0-9A-Za-z]{38}$/

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
