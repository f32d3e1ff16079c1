import { PasskeyError } from './reasons.ts'

/** The values that WebAuthn encodes. A map keeps its keys as they are: integers or texts. */
export type Cbor = number | string | boolean | null | Uint8Array<ArrayBuffer> | Cbor[] | CborMap

export type CborMap = Map<number | string, Cbor>

/** An attestation object has a depth of 4, with a certificate chain. */
const MAX_DEPTH = 8

/**
 * Reads one CBOR value: integers, byte strings, texts, arrays, maps, booleans and null, each with a
 * definite length in its shortest form and without repeated keys, as CTAP2 requires. Anything else
 * (tags, floating-point numbers) occurs in no WebAuthn structure that is read here.
 *
 * @returns The value, and the offset of the first byte after it.
 * @throws {PasskeyError} `cbor`.
 * @see RFC 8949 section 3, CTAP 2.1 section 8
 */
export function readCbor(bytes: Uint8Array<ArrayBuffer>, offset = 0): { value: Cbor; end: number } {
  const reader = new CborReader(bytes, offset)
  return { value: reader.value(0), end: reader.offset }
}

/** Like `readCbor`, for bytes that hold exactly one map. */
export function readCborMap(bytes: Uint8Array<ArrayBuffer>): CborMap {
  const { value, end } = readCbor(bytes)
  if (!(value instanceof Map) || end !== bytes.length) throw broken()
  return value
}

class CborReader {
  offset: number
  readonly #bytes: Uint8Array<ArrayBuffer>

  constructor(bytes: Uint8Array<ArrayBuffer>, offset: number) {
    this.#bytes = bytes
    this.offset = offset
  }

  value(depth: number): Cbor {
    if (depth > MAX_DEPTH) throw broken()
    const [initial = 0] = this.#take(1)
    const argument = initial & 31
    switch (initial >> 5) {
      case 0:
        return this.#argument(argument)
      case 1:
        return -1 - this.#argument(argument)
      case 2:
        return this.#take(this.#argument(argument))
      case 3:
        return this.#text(this.#argument(argument))
      case 4:
        return this.#array(this.#argument(argument), depth)
      case 5:
        return this.#map(this.#argument(argument), depth)
      case 7:
        return simple(argument)
      default:
        throw broken()
    }
  }

  /** Reads a length or an integer, which must not have a shorter form. */
  #argument(short: number): number {
    if (short < 24) return short
    // 64-bit integers and indefinite lengths: no value that is read here needs them.
    if (short > 26) throw broken()
    const size = 2 ** (short - 24)
    let value = 0
    for (const byte of this.#take(size)) value = value * 256 + byte
    const least = short === 24 ? 24 : 2 ** (size * 4)
    if (value < least) throw broken()
    return value
  }

  #take(length: number): Uint8Array<ArrayBuffer> {
    if (length > this.#bytes.length - this.offset) throw broken()
    this.offset += length
    return this.#bytes.slice(this.offset - length, this.offset)
  }

  #text(length: number): string {
    try {
      return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(this.#take(length))
    } catch {
      throw broken()
    }
  }

  #array(length: number, depth: number): Cbor[] {
    const items: Cbor[] = []
    // An item takes a byte at least, so a wrong length ends at the end of the bytes.
    for (let i = 0; i < length; i++) items.push(this.value(depth + 1))
    return items
  }

  #map(length: number, depth: number): CborMap {
    const map: CborMap = new Map()
    for (let i = 0; i < length; i++) {
      const key = this.value(depth + 1)
      if ((typeof key !== 'number' && typeof key !== 'string') || map.has(key)) throw broken()
      map.set(key, this.value(depth + 1))
    }
    return map
  }
}

function simple(argument: number): boolean | null {
  if (argument === 20) return false
  if (argument === 21) return true
  if (argument === 22) return null
  throw broken()
}

function broken(): PasskeyError {
  return new PasskeyError('cbor')
}
