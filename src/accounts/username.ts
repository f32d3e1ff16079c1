import * as v from 'valibot'
import { maxCharacters, noControlCharacters, possiblyEmptyText } from '../base/text.ts'
import { reason } from '../base/reasons.ts'

const MAX_USERNAME_CHARACTERS = 255

/**
 * The rules for a new name. It can stand in a list, a path, a log line and a command, and contains
 * no invisible characters. A user with an older name that breaks the rules can still sign in.
 */
export const possiblyEmptyUsername = v.pipe(
  possiblyEmptyText(),
  maxCharacters(MAX_USERNAME_CHARACTERS),
  noControlCharacters(),
  v.check(
    (name) => !/\p{Default_Ignorable_Code_Point}|\p{Cf}/u.test(name),
    reason('noInvisibleCharacters'),
  ),
  v.check((name) => name === name.trim(), reason('usernameNotTrimmed')),
  v.check((name) => !/[\p{Zl}\p{Zp}]/u.test(name), reason('usernameLines')),
  // The file service may keep a folder for each user.
  v.check((name) => !/^\.{1,2}$|[/\\]/.test(name), reason('usernamePath')),
  v.check((name) => !/^#\d+$/.test(name), reason('usernameId')),
)

/** A user name. */
export const usernameSchema = v.pipe(possiblyEmptyUsername, v.minLength(1, 'must not be empty'))

/**
 * Returns the key by which names are compared. Names that differ only in case or Unicode
 * normalisation have the same key. The name is changed to upper case first, so that `ß` equals `SS`
 * and both small sigmas are one letter.
 *
 * @see Unicode Standard Annex 15 (NFKC)
 */
export function usernameKey(username: string): string {
  return username.normalize('NFKC').toUpperCase().toLowerCase().normalize('NFKC')
}
