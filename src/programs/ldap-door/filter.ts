import { visibleKey } from '../../core/accounts/username.ts'
import { BerError, BerReader, TAG, utf8 } from './ber.ts'
import { dnKey, lowerAscii, parseDn } from './dn.ts'

/** A filter of more parts or levels than the door looks at. */
export class FilterTooLarge extends Error {
  override readonly name = 'FilterTooLarge'
}

const MAX_DEPTH = 16
const MAX_PARTS = 128

export type Filter =
  | { kind: 'and' | 'or'; parts: Filter[] }
  | { kind: 'not'; part: Filter }
  | Equality
  | { kind: 'present'; attribute: string }
  | Substrings
  /** A filter that is Undefined for every entry: `>=`, `<=`, `~=` or an extensible match. */
  | { kind: 'undefined' }

interface Equality {
  kind: 'equal'
  attribute: string
  /** As {@link comparable} gives it; without one the filter is Undefined. */
  value: string | undefined
  /** The value as the name of a group, for `cn`. */
  groupKey: string | undefined
}

interface Pieces {
  initial?: Buffer
  any: Buffer[]
  final?: Buffer
}

interface Substrings extends Pieces {
  kind: 'substrings'
  attribute: string
  /** The pieces as those of the name of a group, for `cn`. */
  ofGroupKey?: Pieces
  /** Whether a piece can be part of no value: then the filter is Undefined. */
  isInvalid: boolean
}

/**
 * Attributes by their names in lower case, with their values as {@link comparable} gives them. The
 * `cn` of a group is {@link visibleKey} of its name.
 */
export type Attributes = ReadonlyMap<string, readonly string[]>

/** How values compare. Attributes that no entry has are known too, so that they are False. */
const COMPARED = new Map<string, 'bytes' | 'caseless' | 'dn'>([
  ['uid', 'bytes'],
  ['cn', 'bytes'],
  ['sn', 'bytes'],
  ['displayname', 'bytes'],
  ['mail', 'bytes'],
  ['givenname', 'bytes'],
  ['objectclass', 'caseless'],
  ['entryuuid', 'caseless'],
  ['ou', 'caseless'],
  ['dc', 'caseless'],
  ['o', 'caseless'],
  ['memberof', 'dn'],
  ['member', 'dn'],
  ['uniquemember', 'dn'],
])
/** The syntax of attributes whose value is not any text. */
const SYNTAX = new Map([
  // RFC 4512 section 1.4: a name, or an object identifier.
  ['objectclass', /^(?:[A-Za-z][A-Za-z0-9-]*|\d+(?:\.\d+)+)$/],
  // RFC 4530 section 2.1.
  ['entryuuid', /^[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$/],
])
/** The text of RFC 4517 section 3.3.6 has a character or more. */
const ANY_TEXT = /./s
const WITH_SUBSTRINGS = ['uid', 'cn', 'sn', 'displayname']

/**
 * Reads a filter. Depth and parts are counted before anything is kept.
 *
 * @throws {BerError} When it is malformed.
 * @throws {FilterTooLarge}
 * @see RFC 4511 section 4.5.1.7
 */
export function readFilter(reader: BerReader): Filter {
  return readPart(reader, 1, { parts: 0 })
}

function readPart(reader: BerReader, depth: number, count: { parts: number }): Filter {
  addPart(count)
  if (depth > MAX_DEPTH) throw new FilterTooLarge()
  const { tag, content } = reader.readAny()
  const inner = new BerReader(content)
  switch (tag) {
    case 0xa0:
    case 0xa1: {
      const parts: Filter[] = []
      while (!inner.isAtEnd) parts.push(readPart(inner, depth + 1, count))
      return { kind: tag === 0xa0 ? 'and' : 'or', parts }
    }
    case 0xa2: {
      const part = readPart(inner, depth + 1, count)
      inner.end()
      return { kind: 'not', part }
    }
    case 0xa3: {
      const attribute = nameIn(inner)
      const value = comparable(attribute, inner.read(TAG.octets))
      inner.end()
      const isName = attribute === 'cn' && value !== undefined
      return { kind: 'equal', attribute, value, groupKey: isName ? visibleKey(value) : undefined }
    }
    case 0xa4:
      return readSubstrings(inner, count)
    case 0xa5:
    case 0xa6:
    case 0xa8:
      inner.read(TAG.octets)
      inner.read(TAG.octets)
      inner.end()
      return { kind: 'undefined' }
    case 0x87:
      return { kind: 'present', attribute: content.toString().toLowerCase() }
    case 0xa9:
      while (!inner.isAtEnd) inner.readAny()
      return { kind: 'undefined' }
    default:
      throw new BerError('an unknown filter')
  }
}

function addPart(count: { parts: number }): void {
  count.parts += 1
  if (count.parts > MAX_PARTS) throw new FilterTooLarge()
}

function nameIn(reader: BerReader): string {
  return reader.read(TAG.octets).toString().toLowerCase()
}

function readSubstrings(reader: BerReader, count: { parts: number }): Filter {
  const found: Substrings = {
    kind: 'substrings',
    attribute: nameIn(reader),
    any: [],
    isInvalid: false,
  }
  const pieces = reader.nested(TAG.sequence)
  reader.end()
  if (pieces.isAtEnd) throw new BerError('substrings without a piece')
  for (let place = 0; !pieces.isAtEnd; place++) {
    addPart(count)
    const { tag, content } = pieces.readAny()
    if (comparable(found.attribute, content) === undefined) found.isInvalid = true
    if (found.final !== undefined || (tag === 0x80 && place > 0))
      throw new BerError('pieces in a wrong order')
    if (tag === 0x80) found.initial = content
    else if (tag === 0x81) found.any.push(content)
    else if (tag === 0x82) found.final = content
    else throw new BerError('an unknown piece')
  }
  if (found.attribute === 'cn') found.ofGroupKey = ofGroupKey(found)
  return found
}

function ofGroupKey({ initial, any, final }: Pieces): Pieces {
  return {
    any: any.map(keyOf),
    ...(initial && { initial: keyOf(initial) }),
    ...(final && { final: keyOf(final) }),
  }
}

function keyOf(piece: Buffer): Buffer {
  return Buffer.from(visibleKey(piece.toString()))
}

/** Evaluates a filter for an entry; `undefined` is Undefined. @see RFC 4511 section 4.5.1.7 */
export function matches(filter: Filter, entry: Attributes): boolean | undefined {
  switch (filter.kind) {
    case 'and':
      return joined(filter.parts, entry, false)
    case 'or':
      return joined(filter.parts, entry, true)
    case 'not': {
      const result = matches(filter.part, entry)
      return result === undefined ? undefined : !result
    }
    case 'present':
      return COMPARED.has(filter.attribute) ? entry.has(filter.attribute) : undefined
    case 'equal':
      return isEqual(filter, entry)
    case 'substrings': {
      if (!WITH_SUBSTRINGS.includes(filter.attribute) || filter.isInvalid) return undefined
      const pieces = isGroup(entry) ? (filter.ofGroupKey ?? filter) : filter
      return (entry.get(filter.attribute) ?? []).some((value) =>
        hasPieces(Buffer.from(value), pieces),
      )
    }
    default:
      return undefined
  }
}

/** @param decisive The result of one part that decides the whole. */
function joined(parts: Filter[], entry: Attributes, decisive: boolean): boolean | undefined {
  let result: boolean | undefined = !decisive
  for (const part of parts) {
    const matched = matches(part, entry)
    if (matched === decisive) return decisive
    if (matched === undefined) result = undefined
  }
  return result
}

function isEqual({ attribute, value, groupKey }: Equality, entry: Attributes): boolean | undefined {
  if (value === undefined) return undefined
  const wanted = isGroup(entry) ? (groupKey ?? value) : value
  return entry.get(attribute)?.includes(wanted) ?? false
}

/** Names of groups compare without case, and those of people byte by byte. */
function isGroup(entry: Attributes): boolean {
  return entry.get('objectclass')?.includes('groupofnames') === true
}

/**
 * Returns a text that is the same for two equal values of an attribute.
 *
 * @param attribute Its name in lower case.
 * @returns `undefined` for an unknown attribute, and for a value that breaks its syntax.
 */
export function comparable(attribute: string, value: Buffer): string | undefined {
  const text = utf8(value)
  const compared = COMPARED.get(attribute)
  if (text === undefined || compared === undefined) return undefined
  if (compared === 'dn') return tryKey(text)
  if (!(SYNTAX.get(attribute) ?? ANY_TEXT).test(text)) return undefined
  return compared === 'bytes' ? text : lowerAscii(text)
}

function tryKey(text: string): string | undefined {
  try {
    return dnKey(parseDn(text))
  } catch {
    return undefined
  }
}

function hasPieces(value: Buffer, pieces: Pieces): boolean {
  const { initial = Buffer.of(), any, final = Buffer.of() } = pieces
  if (!value.subarray(0, initial.length).equals(initial)) return false
  let at = initial.length
  for (const piece of any) {
    const found = value.indexOf(piece, at)
    if (found < 0) return false
    at = found + piece.length
  }
  const end = value.length - final.length
  return end >= at && value.subarray(end).equals(final)
}
