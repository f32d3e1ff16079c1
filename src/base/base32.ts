const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** Base32 without padding, as authenticator apps read it. @see RFC 4648 section 6 */
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
 * Reads base32 in either case, padded or not; `undefined` for anything `toBase32` would not have
 * written.
 */
export function fromBase32(text: string): Uint8Array<ArrayBuffer> | undefined {
  const bytes = fromLooseBase32(text)
  return bytes && toBase32(bytes) === trimPadding(text) ? bytes : undefined
}

/**
 * As `fromBase32`, but what is left of the last digit may be anything, as in a secret that somebody
 * made up and other services took.
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
  // Five bits or more are a whole digit that says nothing.
  return bits < 5 ? bytes : undefined
}

function trimPadding(text: string): string {
  // From the end: a pattern would try every run of signs that stands before something else.
  let end = text.length
  while (text.charAt(end - 1) === '=') end -= 1
  return text.slice(0, end).toUpperCase()
}
