import { visibleKey } from '../../core/accounts/username.ts'

/** A DN that can't be read. */
export class DnError extends Error {
  override readonly name = 'DnError'
}

interface Part {
  type: string
  value: string
}
/**
 * A name: its parts from the entry to the root. A part has several pairs when they are joined by
 * `+`.
 */
export type Dn = readonly (readonly Part[])[]

const TYPE = /^(?:[A-Za-z][A-Za-z0-9-]*|\d+(?:\.\d+)+)$/
/** Types whose values compare without case. `cn`, which names groups, compares as these do. */
const CASELESS = ['dc', 'o', 'ou']
const SPECIAL = '"+,;<>\\'
const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
/** Characters that stand for themselves; blanks count only between others. */
const PLAIN = /[^"+,;<>\\\0 ]+/y

/**
 * Reads a DN as text. `#` before hexadecimal digits is not taken.
 *
 * @throws {DnError}
 * @see RFC 4514 section 3
 */
export function parseDn(text: string): Dn {
  if (text.trim() === '') return []
  const rdns: Part[][] = [[]]
  let at = 0
  for (;;) {
    const equals = text.indexOf('=', at)
    const type = text.slice(at, Math.max(at, equals)).trim()
    if (equals < 0 || !TYPE.test(type)) throw new DnError('a type is missing')
    const { value, end } = readValue(text, equals + 1)
    rdns.at(-1)?.push({ type, value })
    if (end >= text.length) return rdns
    if (text[end] !== '+') rdns.push([])
    at = end + 1
  }
}

function readValue(text: string, start: number): { value: string; end: number } {
  let at = start
  while (text[at] === ' ') at += 1
  if (text[at] === '#') throw new DnError('a value in hexadecimal')
  const bytes: Buffer[] = []
  /** Pieces up to the last one that is no blank. */
  let kept = 0
  while (at < text.length) {
    PLAIN.lastIndex = at
    const [plain] = PLAIN.exec(text) ?? []
    if (plain !== undefined) {
      kept = bytes.push(Buffer.from(plain))
      at += plain.length
      continue
    }
    const character = text.charAt(at)
    if (character === ',' || character === '+' || character === ';') break
    if (character === '\\') {
      const { byte, length } = readEscape(text, at + 1)
      kept = bytes.push(byte)
      at += 1 + length
      continue
    }
    if (character !== ' ') throw new DnError('an escape is missing')
    bytes.push(Buffer.from(character))
    at += 1
  }
  if (text[at] === ';') throw new DnError('an escape is missing')
  if (kept === 0) throw new DnError('a value is missing')
  if (at === text.length - 1) throw new DnError('a part is missing')
  try {
    return { value: UTF8.decode(Buffer.concat(bytes.slice(0, kept))), end: at }
  } catch {
    throw new DnError('a value is not UTF-8')
  }
}

function readEscape(text: string, at: number): { byte: Buffer; length: number } {
  const hex = text.slice(at, at + 2)
  if (/^[0-9a-fA-F]{2}$/.test(hex)) return { byte: Buffer.from(hex, 'hex'), length: 2 }
  const character = text[at]
  if (character !== undefined && `${SPECIAL} #=`.includes(character))
    return { byte: Buffer.from(character), length: 1 }
  throw new DnError('an unknown escape')
}

/** Prints a DN in the one spelling that the door uses. */
export function printDn(dn: Dn): string {
  return dn
    .map((rdn) => rdn.map(({ type, value }) => `${type}=${printValue(value)}`).join('+'))
    .join(',')
}

/** Prints a value of a DN. */
function printValue(value: string): string {
  if (/^[\w.@-]*$/.test(value)) return value
  const characters = Array.from(value)
  const printed = characters.map((character, index) => {
    const isAtEnd = index === 0 || index === characters.length - 1
    if (character === ' ' && isAtEnd) return '\\20'
    if (character === '#' && index === 0) return '\\#'
    if (SPECIAL.includes(character)) return `\\${character}`
    return /\p{Cc}/u.test(character) && character < '\u0080'
      ? `\\${character.charCodeAt(0).toString(16).padStart(2, '0')}`
      : character
  })
  return printed.join('')
}

/** Returns a text that is the same for two DNs of one entry. */
export function dnKey(dn: Dn): string {
  return dn.map((rdn) => rdn.map(keyOf).toSorted().join('+')).join(',')
}

function keyOf({ type, value }: Part): string {
  const name = type.toLowerCase()
  if (name === 'cn') return `${name}=${printValue(visibleKey(value))}`
  return `${name}=${printValue(CASELESS.includes(name) ? lowerAscii(value) : value)}`
}

/** Lowers the letters A to Z only. */
export function lowerAscii(text: string): string {
  return text.replace(/[A-Z]/g, (letter) => letter.toLowerCase())
}
