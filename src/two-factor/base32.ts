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
  const digits = text.toUpperCase().replace(/=+$/, '')
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
  return toBase32(bytes) === digits ? bytes : undefined
}
