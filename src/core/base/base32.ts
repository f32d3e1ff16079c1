const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** Encodes bytes as base32 without padding, which authenticator apps read. @see RFC 4648 section 6 */
export function toBase32(bytes: Uint8Array): string {
  let text = ''
  let bits = 0
  let pending = 0
  for (const byte of bytes) {
    pending = ((pending << 8) | byte) & 0xfff
    for (bits += 8; bits >= 5; bits -= 5) text += ALPHABET.charAt((pending >> (bits - 5)) & 31)
  }
  return bits === 0 ? text : text + ALPHABET.charAt((pending << (5 - bits)) & 31)
}

/**
 * Decodes base32 in either case, padded or not.
 *
 * @returns `undefined` for any text that `toBase32` would not write.
 */
export function fromBase32(text: string): Uint8Array<ArrayBuffer> | undefined {
  const bytes = fromLooseBase32(text)
  return bytes && toBase32(bytes) === trimPadding(text) ? bytes : undefined
}

/**
 * Like `fromBase32`, but ignores the unused bits of the last digit: other services accept such
 * hand-made secrets.
 */
export function fromLooseBase32(text: string): Uint8Array<ArrayBuffer> | undefined {
  const digits = trimPadding(text)
  const bytes = new Uint8Array(Math.floor((digits.length * 5) / 8))
  let bits = 0
  let pending = 0
  let length = 0
  for (const digit of digits) {
    const value = ALPHABET.indexOf(digit)
    if (value < 0) return undefined
    pending = ((pending << 5) | value) & 0xfff
    bits += 5
    if (bits >= 8) {
      bits -= 8
      bytes[length++] = (pending >> bits) & 0xff
    }
  }
  // Five unused bits or more are a digit too many.
  return bits < 5 ? bytes : undefined
}

function trimPadding(text: string): string {
  // A loop: a regular expression takes quadratic time when many `=` stand inside the text.
  let end = text.length
  while (text.charAt(end - 1) === '=') end -= 1
  return text.slice(0, end).toUpperCase()
}
