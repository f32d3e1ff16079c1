import * as v from 'valibot'
import { maxCharacters, noControlCharacters, text } from '../base/text.ts'

const MAX_USERNAME_CHARACTERS = 255

/**
 * A new name: one that can stand in a list, a path, a log line and a command, and that looks like
 * what it is. Who has another still signs in with it.
 */
export const usernameSchema = v.pipe(
  text(),
  maxCharacters(MAX_USERNAME_CHARACTERS),
  noControlCharacters(),
  v.check(
    (name) => !/\p{Default_Ignorable_Code_Point}|\p{Cf}/u.test(name),
    'must not contain invisible characters',
  ),
  v.check((name) => name === name.trim(), 'must not begin or end with a blank'),
  v.check((name) => !/[\p{Zl}\p{Zp}]/u.test(name), 'must stand in one line'),
  // The file service may keep a folder for each user.
  v.check((name) => !/^\.{1,2}$|[/\\]/.test(name), 'must not be . or .. nor contain / or \\'),
  v.check((name) => !/^#\d+$/.test(name), 'must not be # and digits, which mean an id'),
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
