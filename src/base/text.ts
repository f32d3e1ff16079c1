import * as v from 'valibot'
import { fillReason, REASONS } from './reasons.ts'

/** A text of at least one character that D1 and every client can hold. */
export function text() {
  return v.pipe(possiblyEmptyText(), v.minLength(1, 'must not be empty'))
}

/** As `text`, and it may be empty. */
export function possiblyEmptyText() {
  return v.pipe(
    v.string(),
    v.check((value) => value.isWellFormed(), 'must be valid Unicode'),
    v.check((value) => !value.includes('\0'), 'must not contain NUL'),
  )
}

/** Characters as people count them: an emoji of two UTF-16 units is one. */
export function maxCharacters(limit: number) {
  return v.check(
    (value: string) => Array.from(value).length <= limit,
    fillReason(REASONS.maxCharacters, { max: limit }),
  )
}

/** What others wrote must not steer a terminal, nor turn a line round. */
export function visible(written: string): string {
  return written.replaceAll('\n', '↵').replace(/[\p{Cc}\u202A-\u202E\u2066-\u2069]/gu, '�')
}

/** For names and titles, which stand in one line. */
export function noControlCharacters() {
  return v.check((value: string) => !/\p{Cc}/u.test(value), REASONS.noControlCharacters)
}
