import { KeyError } from '../../core/crypto/wire.ts'

/** The tags that public keys use. @see X.690 section 8 */
export const TAG = {
  integer: 0x02,
  bitString: 0x03,
  null: 0x05,
  objectId: 0x06,
  sequence: 0x30,
} as const

/** Reads the DER of a public key: definite lengths of at most 64 KiB. */
export class DerReader {
  readonly #bytes: Uint8Array<ArrayBuffer>
  #offset = 0

  constructor(bytes: Uint8Array<ArrayBuffer>) {
    this.#bytes = bytes
  }

  /** Returns the contents of the next value, which must have this tag. */
  value(tag: number): Uint8Array<ArrayBuffer> {
    if (this.#byte() !== tag) throw broken()
    const length = this.#length()
    const start = this.#offset
    if (length > this.#bytes.length - start) throw broken()
    this.#offset += length
    return this.#bytes.subarray(start, this.#offset)
  }

  sequence(): DerReader {
    return new DerReader(this.value(TAG.sequence))
  }

  /** Returns the contents of a bit string with a whole number of bytes. */
  bitString(): Uint8Array<ArrayBuffer> {
    const bytes = this.value(TAG.bitString)
    if (bytes[0] !== 0) throw broken()
    return bytes.subarray(1)
  }

  end(): void {
    if (this.#offset !== this.#bytes.length) throw broken()
  }

  #length(): number {
    const first = this.#byte()
    if (first < 0x80) return first
    if (first !== 0x81 && first !== 0x82) throw broken()
    const length = first === 0x81 ? this.#byte() : this.#byte() * 256 + this.#byte()
    if (length < (first === 0x81 ? 0x80 : 0x100)) throw broken()
    return length
  }

  #byte(): number {
    const byte = this.#bytes[this.#offset++]
    if (byte === undefined) throw broken()
    return byte
  }
}

function broken(): KeyError {
  return new KeyError('keyPemContent')
}
