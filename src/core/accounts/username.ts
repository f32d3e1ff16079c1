import * as v from 'valibot'
import { maxCharacters, noControlCharacters, possiblyEmptyText } from '../base/text.ts'
import { reason } from '../base/reasons.ts'

const MAX_USERNAME_CHARACTERS = 255

/** Tells whether a text has a character that nobody sees. */
export function hasInvisible(text: string): boolean {
  return /\p{Default_Ignorable_Code_Point}|\p{Cf}/u.test(text)
}

/**
 * The rules for a new name. It can stand in a list, a path, a log line and a command, and contains
 * no invisible characters. A user with an older name that breaks the rules can still sign in.
 */
export const possiblyEmptyUsername = v.pipe(
  possiblyEmptyText(),
  maxCharacters(MAX_USERNAME_CHARACTERS),
  noControlCharacters(),
  v.check((name) => !hasInvisible(name), reason('noInvisibleCharacters')),
  v.check((name) => name === name.trim(), reason('usernameNotTrimmed')),
  v.check((name) => !/[\p{Zl}\p{Zp}]/u.test(name), reason('usernameLines')),
  // The file service may keep a folder for each user.
  v.check((name) => !/^\.{1,2}$|[/\\]/.test(name), reason('usernamePath')),
  v.check((name) => !/^#\d+$/.test(name), reason('usernameId')),
)

/** A user name. */
export const usernameSchema = v.pipe(possiblyEmptyUsername, v.minLength(1, 'must not be empty'))

/** The slash of a fraction stands for the slash that NFKC makes of `℀`: no key contains a slash. */
const FRACTION_SLASH = '\u2044'

/**
 * Returns the key by which names are compared, and the folders of a path. Names that differ only in
 * case or Unicode normalisation have the same key. That is full case folding: lower case before
 * upper case makes `ß` of `ẞ`, upper case makes `SS` of `ß` and one letter of both small sigmas.
 * The dotless `ı` counts as `i`, which is stricter than the standard.
 *
 * @see Unicode Standard Annex 15 (NFKC), and section 3.13 of the standard (case folding)
 */
export function usernameKey(username: string): string {
  const folded = username.normalize('NFKC').toLowerCase().toUpperCase().toLowerCase()
  return folded.normalize('NFKC').replaceAll('/', FRACTION_SLASH)
}

/**
 * Returns the key of a name that may have invisible characters, which do not count: the name of a
 * folder, or of a group.
 */
export function visibleKey(name: string): string {
  return usernameKey(name.replaceAll(/\p{Default_Ignorable_Code_Point}/gu, ''))
}

/**
 * Returns the keys under which a name may be stored. The second one is that of earlier versions for
 * a name with `ẞ` or `℀`. An account has kept it where another one has the present key.
 */
export function storedKeys(username: string): string[] {
  const earlier = username.normalize('NFKC').toUpperCase().toLowerCase().normalize('NFKC')
  return [...new Set([usernameKey(username), earlier])]
}
