import { toHex } from '../base/encoding.ts'
import {
  type KeyPart,
  type KeyReason,
  type Reason,
  type TextValues,
  wordsOf,
} from '../base/reasons.ts'

/**
 * The reason why a text is not accepted as a key. Its message is the end of a sentence for the user
 * who pasted it. The pages translate every reason.
 */
export class KeyError extends Error {
  override readonly name = 'KeyError'
  readonly reason: Reason

  constructor(code: KeyReason, values: TextValues = {}) {
    super(wordsOf({ code, values }))
    this.reason = { code, values }
  }
}

/**
 * Reads the data types of the SSH wire format strictly. Each value has only one accepted encoding.
 *
 * @see RFC 4251 section 5
 */
export class WireReader {
  readonly #bytes: Uint8Array<ArrayBuffer>
  #offset = 0

  constructor(bytes: Uint8Array<ArrayBuffer>) {
    this.#bytes = bytes
  }

  /** Reads a `string`: a length of four bytes, then that number of bytes. */
  string(part: KeyPart): Uint8Array<ArrayBuffer> {
    const start = this.#offset + 4
    if (start > this.#bytes.length) throw new KeyError('keyEndsBefore', { part })
    const length = new DataView(this.#bytes.buffer, this.#bytes.byteOffset).getUint32(this.#offset)
    if (length > this.#bytes.length - start) {
      throw new KeyError('keyEndsWithin', { part })
    }
    this.#offset = start + length
    return this.#bytes.subarray(start, this.#offset)
  }

  /** Reads a `string` of ASCII characters. It is cut when it is longer than every known name. */
  name(part: KeyPart): string {
    return String.fromCharCode(...this.string(part).subarray(0, 64))
  }

  /** Reads an `mpint` above zero in its shortest form, and returns its bytes without the sign byte. */
  positiveInteger(part: KeyPart): Uint8Array<ArrayBuffer> {
    const bytes = this.string(part)
    const [first = 0, second = 0] = bytes
    if (bytes.length === 0) throw new KeyError('keyZero', { part })
    if (first >= 0x80) throw new KeyError('keyNegative', { part })
    if (first === 0 && second < 0x80) throw new KeyError('keyLeadingZeros', { part })
    return first === 0 ? bytes.subarray(1) : bytes
  }

  /** Checks that no data follows. */
  end(): void {
    const bytes = this.#bytes.length - this.#offset
    if (bytes > 0) throw new KeyError('keyTrailingBytes', { bytes })
  }
}

/** Writes a `string` of the SSH wire format. */
export function wireString(bytes: Uint8Array): Uint8Array {
  const written = new Uint8Array(4 + bytes.length)
  new DataView(written.buffer).setUint32(0, bytes.length)
  written.set(bytes, 4)
  return written
}

/** Converts big-endian bytes to a number. */
export function toBigInt(bytes: Uint8Array): bigint {
  return BigInt(`0x0${toHex(bytes)}`)
}

/** Returns the length in bits of a big-endian number without leading zeros. */
export function bitLength(bytes: Uint8Array): number {
  return bytes.length === 0 ? 0 : bytes.length * 8 - Math.clz32(bytes[0] ?? 0) + 24
}
