/** Characters that a file system may leave out when it compares names (ext4, HFS+). */
const IGNORABLE = /\p{Default_Ignorable_Code_Point}/gu
/** The name of a stream of a file, behind the name of the file (NTFS). */
const STREAM = /(?<=.):.*$/su
/** What Windows cuts off a name. */
const CUT_OFF = /[.\s]+$/u

/** A path of plain characters, of which only the case is folded: nearly all, and far cheaper. */
const PLAIN = /^(?:\/[ -.0-9;-~]*[!-\-0-9;-~])+$/

/**
 * Bytes that are no UTF-8: as OpenList tells them, and as `textOfBytes` reads them. Nobody can tell
 * which ones a rule is for.
 */
const NO_TEXT = /[\ufffd\udc80-\udcff]/u

/** What file systems that compare without the case, in any form of Unicode, take for one name. */
function foldName(name: string): string {
  if (NO_TEXT.test(name)) return '\ufffd'
  const plain = name.normalize('NFD').replace(IGNORABLE, '')
  const shortened = plain.replace(STREAM, '').replace(CUT_OFF, '')
  // Both, because one letter of `ß` and `ẞ`, or of `ſ` and `s`, has the other case alone.
  return shortened.toLowerCase().toUpperCase().normalize('NFD')
}

/**
 * Folds a path, so that two paths are equal that some storage takes for one: it may not look at the
 * case, at forms of Unicode, at characters without a width, at dots and blanks at the end of a
 * name, or take what follows a colon for a part of the file. OpenList compares bytes. All names in
 * a folder that are no UTF-8 count as one.
 *
 * @param path Full and clean.
 * @returns `undefined` for a path with a name of which nothing is left (`...`): a storage may take
 *   it for the folder itself, or for the one above.
 */
export function foldPath(path: string): string | undefined {
  if (path === '/') return path
  if (PLAIN.test(path)) return path.toUpperCase()
  const names = path.slice(1).split('/').map(foldName)
  return names.includes('') ? undefined : `/${names.join('/')}`
}
