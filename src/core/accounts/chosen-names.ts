import * as v from 'valibot'
import { Refusal } from '../base/refusals.ts'
import type { ReasonCode } from '../base/reasons.ts'
import { LOOK_ALIKES } from './look-alikes.ts'
import { usernameKey, usernameSchema } from './username.ts'

// The rules for names that people choose for themselves. Operators may give any name, but none that
// `refuseNameOfFiles` refuses.

/** Names with which a user could pose as somebody who runs the site. */
const RESERVED = [
  'admin',
  'administrator',
  'root',
  'system',
  'guest',
  'support',
  'security',
  'operator',
  'moderator',
  'webmaster',
  'postmaster',
  'hostmaster',
  'abuse',
  'noreply',
  'latchkey',
  'openlist',
  'alist',
]

/**
 * Returns what a name looks like: without case, marks, dots, hyphens, underscores and blanks, and
 * with the Latin letter for each look-alike. Names of one skeleton can be taken for each other.
 *
 * @see Unicode Technical Standard 39 section 4, whose tables are far longer
 */
export function skeletonOf(name: string): string {
  const plain = usernameKey(name)
    .normalize('NFKD')
    .replace(/[\p{M}._\-\s\p{Cf}\p{Pd}]/gu, '')
  return Array.from(plain, (letter) => LOOK_ALIKES.get(letter) ?? letterOfSign(letter))
    .join('')
    .replaceAll('rn', 'm')
    .replaceAll('vv', 'w')
}

/** Where A to Z begin as white letters in black circles and squares, and as letters of flags. */
const SIGNS_OF_LETTERS = [0x1f150, 0x1f170, 0x1f1e6]

function letterOfSign(sign: string): string {
  const code = sign.codePointAt(0) ?? 0
  const first = SIGNS_OF_LETTERS.find((start) => start <= code && code < start + 26)
  return first === undefined ? sign : String.fromCodePoint('a'.charCodeAt(0) + code - first)
}

/** Alphabets that may stand beside each other (UTS 39, highly restrictive). */
const alphabetsTogether = (): readonly RegExp[] => [
  /^[\p{Script=Latin}\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]*$/u,
  /^[\p{Script=Latin}\p{Script=Han}\p{Script=Bopomofo}]*$/u,
  /^[\p{Script=Latin}\p{Script=Han}\p{Script=Hangul}]*$/u,
]

/** Tells whether the letters of a name are of one alphabet, or of some that are written together. */
export function isOfOneAlphabet(name: string): boolean {
  const letters = name.normalize('NFKC').replace(/[\p{Script=Common}\p{Script=Inherited}]/gu, '')
  if (alphabetsTogether().some((set) => set.test(letters))) return true
  const [first = ''] = Array.from(letters)
  const script = SCRIPTS.map(ofScript).find((pattern) => pattern.test(first))
  return script !== undefined && Array.from(letters).every((letter) => script.test(letter))
}

/** The alphabets of names that are not Latin and not East Asian. A letter of another is refused. */
const SCRIPTS = [
  'Cyrillic',
  'Greek',
  'Arabic',
  'Hebrew',
  'Armenian',
  'Georgian',
  'Devanagari',
  'Bengali',
  'Gurmukhi',
  'Gujarati',
  'Oriya',
  'Tamil',
  'Telugu',
  'Kannada',
  'Malayalam',
  'Sinhala',
  'Thai',
  'Lao',
  'Tibetan',
  'Myanmar',
  'Khmer',
  'Ethiopic',
  'Mongolian',
]

function ofScript(script: string): RegExp {
  return new RegExp(`^\\p{Script=${script}}$`, 'u')
}

/**
 * @throws {Refusal} `invalidBody` for no name, for one with `@` or with letters of several
 *   alphabets, for one that can't name a folder of its own, and for one that `refuseNameOfFiles`
 *   refuses.
 */
export function checkChosenName(username: string): void {
  const problem = problemOf(username)
  if (problem !== undefined) throw wrongName(problem)
}

/** Returns the rule that a chosen name breaks; `undefined` for none. */
function problemOf(username: string): ReasonCode | undefined {
  if (username === '') return 'required'
  if (isNameOfFiles(username)) return 'usernameFiles'
  const folded = username.normalize('NFKC')
  if (folded.includes('@')) return 'usernameAt'
  if (!isFolderName(folded)) return 'usernameFolder'
  return isOfOneAlphabet(username) ? undefined : 'usernameAlphabets'
}

/**
 * Tells whether a user may choose a name: it keeps all rules, and looks like no reserved one.
 *
 * @param more As for `refuseReservedName`.
 */
export function mayChooseName(username: string, more: readonly string[]): boolean {
  return (
    v.is(usernameSchema, username) &&
    problemOf(username) === undefined &&
    !looksReserved(username, more)
  )
}

/**
 * Tells whether a name can be that of a user's own folder (`/homes/{username}`), also at a file
 * server on Windows, which drops dots at the end, takes what follows a colon for a stream of the
 * folder before it, keeps names for devices, and gives long names short ones (`ALICE~1.LAS`). Marks
 * alone (accents) can't be seen.
 *
 * @see https://learn.microsoft.com/windows/win32/fileio/naming-a-file
 */
function isFolderName(folded: string): boolean {
  const isDevice = /^(?:con(?:in\$|out\$)?|prn|aux|nul|(?:com|lpt)\d)\s*(?:\.|$)/i.test(folded)
  const isShort = /~\d+\./.test(folded)
  return /[^\p{M}.\s]/u.test(folded) && !/[:*?"<>|/\\]|[.\s]$/.test(folded) && !isDevice && !isShort
}

/**
 * Tells whether a name has the form that `files/` gives a user whose own name is taken at the file
 * server: `bob~7` for user 7. Another user with this name would keep user 7 from the files.
 */
export function isNameOfFiles(username: string): boolean {
  return /~\d+$/.test(username.normalize('NFKC'))
}

/**
 * Refuses a new name of that form, from users and operators alike. Users who were imported with one
 * keep it.
 *
 * @throws {Refusal} `invalidBody`.
 */
export function refuseNameOfFiles(username: string): void {
  if (isNameOfFiles(username)) throw wrongName('usernameFiles')
}

function wrongName(code: ReasonCode): Refusal {
  return new Refusal('invalidBody', { field: 'username', reason: { code, values: {} } })
}

/**
 * Refuses a name that looks like a reserved one. The answer is that for a name that is taken.
 *
 * @param more Further names: those of the setting, and those of the admins.
 * @throws {Refusal} `usernameTaken`.
 */
export function refuseReservedName(username: string, more: readonly string[]): void {
  if (looksReserved(username, more)) throw new Refusal('usernameTaken')
}

function looksReserved(username: string, more: readonly string[]): boolean {
  const skeleton = skeletonOf(username)
  return [...RESERVED, ...more].some((name) => {
    const reserved = skeletonOf(name)
    return reserved !== '' && reserved === skeleton
  })
}
