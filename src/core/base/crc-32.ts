/** The polynomial of CRC-32, its lowest bit first. */
const POLYNOMIAL = 0xedb88320

/**
 * Returns the CRC-32 of bytes, as zip and PNG use it.
 *
 * @see ISO 3309; PNG Specification (W3C), annex D
 */
export function crc32(bytes: Uint8Array): number {
  let remainder = 0xffffffff
  for (const byte of bytes) {
    remainder ^= byte
    for (let bit = 0; bit < 8; bit++) {
      remainder = (remainder >>> 1) ^ (remainder & 1 ? POLYNOMIAL : 0)
    }
  }
  return ~remainder >>> 0
}
