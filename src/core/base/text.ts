import * as v from 'valibot'
import { reason } from './reasons.ts'

/** Checks for a text of at least one character that D1 and every client can store. */
export function text() {
  return v.pipe(possiblyEmptyText(), v.minLength(1, 'must not be empty'))
}

/** Like `text`, but the text may be empty. */
export function possiblyEmptyText() {
  return v.pipe(
    v.string(),
    v.check((value) => value.isWellFormed(), reason('validUnicode')),
    v.check((value) => !value.includes('\0'), reason('noNul')),
  )
}

/** Counts code points: an emoji of two UTF-16 units is one. */
export function charactersOf(value: string): number {
  return Array.from(value).length
}

/** Limits the number of code points. */
export function maxCharacters(limit: number) {
  return v.check(
    (value: string) => charactersOf(value) <= limit,
    reason('maxCharacters', { max: limit }),
  )
}

/** Replaces control and direction characters, so that foreign text can't control a terminal. */
export function visible(written: string): string {
  return written.replaceAll('\n', '↵').replace(/[\p{Cc}\u202A-\u202E\u2066-\u2069]/gu, '�')
}

/** The same for a text of several lines. */
export function visibleLines(written: string): string {
  return written.split('\n').map(visible).join('\n')
}

/**
 * Writes JSON that can't control a terminal. `JSON.stringify` does not escape DEL, the C1 controls
 * and the characters that change the direction of text; this function does.
 *
 * @param indent The number of spaces of each level; without it, one line.
 */
export function terminalJson(value: unknown, indent?: number): string {
  return JSON.stringify(value, undefined, indent).replace(
    /(?!\n)[\p{Cc}\u061C\u200E\u200F\u2028-\u202E\u2066-\u2069]/gu,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

/** Refuses control characters, for names and titles, which have one line. */
export function noControlCharacters() {
  return v.check((value: string) => !/\p{Cc}/u.test(value), reason('noControlCharacters'))
}

/**
 * A name that tells things of one user or operator apart, without blanks around it. Characters that
 * change the direction of writing are refused as well: they would change what stands beside it.
 */
export function nameText(limit: number) {
  return v.pipe(possiblyEmptyName(limit), v.minLength(1, 'must not be empty'))
}

/** Like `nameText`, but the name may be empty. */
export function possiblyEmptyName(limit: number) {
  return v.pipe(
    possiblyEmptyText(),
    v.check(
      (name) => !/[\p{Cc}\u202A-\u202E\u2066-\u2069]/u.test(name),
      reason('noControlCharacters'),
    ),
    v.trim(),
    maxCharacters(limit),
  )
}
