/** A message that breaks the rules of BER, or those that LDAP adds. @see RFC 4511 section 5.1 */
export class BerError extends Error {
  override readonly name = 'BerError'
}

/** Reads elements of a value, one after the other. It copies nothing. */
export class BerReader {
  readonly #bytes: Buffer
  #at = 0

  constructor(bytes: Buffer) {
    this.#bytes = bytes
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#bytes.length
  }

  /** The tag of the next element; `undefined` at the end. */
  get tag(): number | undefined {
    return this.#bytes[this.#at]
  }

  /** Reads the next element, which must have this tag. @throws {BerError} */
  read(tag: number): Buffer {
    if (this.tag !== tag) throw new BerError(`expected the tag ${tag.toString(16)}`)
    const size = sizeOf(this.#bytes, this.#at)
    const end = size === undefined ? Infinity : this.#at + size.header + size.content
    if (size === undefined || end > this.#bytes.length) throw new BerError('an element is cut off')
    const content = this.#bytes.subarray(this.#at + size.header, end)
    this.#at = end
    return content
  }

  readAny(): { tag: number; content: Buffer } {
    const { tag } = this
    if (tag === undefined) throw new BerError('an element is missing')
    return { tag, content: this.read(tag) }
  }

  /** Reads an integer or an enumerated value of at most four bytes. @throws {BerError} */
  readInteger(tag: number = TAG.integer): number {
    const content = this.read(tag)
    checkInteger(content)
    return content.readIntBE(0, content.length)
  }

  /** @throws {BerError} */
  readBoolean(): boolean {
    const [value, ...more] = this.read(TAG.boolean)
    if ((value !== 0 && value !== 0xff) || more.length > 0) throw new BerError('a wrong boolean')
    return value !== 0
  }

  /**
   * Requires that nothing follows. RFC 4511 section 4 lets a server skip trailing elements, which
   * no client sends: bytes that one reader skips and another reads make a request ambiguous.
   *
   * @throws {BerError}
   */
  end(): void {
    if (!this.isAtEnd) throw new BerError('bytes behind the last element')
  }

  nested(tag: number): BerReader {
    return new BerReader(this.read(tag))
  }
}

export const TAG = {
  boolean: 0x01,
  integer: 0x02,
  octets: 0x04,
  enumerated: 0x0a,
  sequence: 0x30,
  set: 0x31,
} as const

/** Requires the content of an integer of at most four bytes. @throws {BerError} */
export function checkInteger(content: Buffer): void {
  if (content.length < 1 || content.length > 4) throw new BerError('an integer has a wrong size')
}

/**
 * Reads tag and length of an element.
 *
 * @returns `undefined` while bytes of the length are missing.
 * @throws {BerError} For a long tag, and an indefinite or an absurd length.
 */
export function sizeOf(bytes: Buffer, at: number): { header: number; content: number } | undefined {
  const tag = bytes[at]
  const first = bytes[at + 1]
  if (tag !== undefined && (tag & 0x1f) === 0x1f) throw new BerError('a tag of several bytes')
  if (tag === undefined || first === undefined) return undefined
  if (first < 0x80) return { header: 2, content: first }
  const digits = first & 0x7f
  if (digits === 0 || digits > 4) throw new BerError('a length that LDAP does not allow')
  if (bytes.length < at + 2 + digits) return undefined
  return { header: 2 + digits, content: bytes.readUIntBE(at + 2, digits) }
}

/** Reads text that must be UTF-8; `undefined` for other bytes. */
export function utf8(bytes: Buffer): string | undefined {
  const text = bytes.toString()
  return Buffer.from(text).equals(bytes) ? text : undefined
}

/** Writes an element. */
export function element(tag: number, ...parts: readonly (Buffer | string)[]): Buffer {
  const buffers = parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : part))
  const length = buffers.reduce((sum, buffer) => sum + buffer.length, 0)
  return Buffer.concat([header(tag, length), ...buffers])
}

function header(tag: number, length: number): Buffer {
  if (length < 0x80) return Buffer.of(tag, length)
  const digits = length < 0x100 ? 1 : length < 0x10000 ? 2 : 4
  const bytes = Buffer.alloc(2 + digits)
  bytes[0] = tag
  bytes[1] = 0x80 | digits
  bytes.writeUIntBE(length, 2, digits)
  return bytes
}

/** Writes a whole number below 2^31. */
export function integer(value: number, tag: number = TAG.integer): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeInt32BE(value)
  let start = 0
  while (start < 3 && bytes[start] === 0 && (bytes[start + 1] ?? 0) < 0x80) start += 1
  return element(tag, bytes.subarray(start))
}
