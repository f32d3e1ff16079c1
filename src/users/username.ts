import * as v from 'valibot'
import { text } from '../text.ts'

const MAX_USERNAME_CHARACTERS = 255

/** A name that can stand in a list, a path and a log line. */
export const usernameSchema = v.pipe(
  text(),
  v.maxLength(MAX_USERNAME_CHARACTERS, `must have at most ${MAX_USERNAME_CHARACTERS} characters`),
  v.check((name) => !/\p{Cc}/u.test(name), 'must not contain control characters'),
  v.check((name) => name === name.trim(), 'must not begin or end with a blank'),
)

/**
 * What makes two names the same name: case and Unicode normalisation don't tell them apart. Through
 * upper case first, so that `ß` equals `SS` and both small sigmas are one letter.
 *
 * @see Unicode Standard Annex 15 (NFKC)
 */
export function usernameKey(username: string): string {
  return username.normalize('NFKC').toUpperCase().toLowerCase().normalize('NFKC')
}
