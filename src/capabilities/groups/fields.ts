import { MAX_GROUP_NOTE_CHARACTERS, MAX_RULE_PATH_CHARACTERS } from '../../core/accounts/groups.ts'
import { charactersOf } from '../../core/base/text.ts'
import { Refusal } from '../../core/base/refusals.ts'
import { cleanFolder } from '../../core/base/clean-folder.ts'
import { ACCESS, type Access } from './decision.ts'

/** @throws {Refusal} `groupNoteTooLong`, `invalidBody`. */
export function readNote(given: string): string {
  if (charactersOf(given) > MAX_GROUP_NOTE_CHARACTERS) throw new Refusal('groupNoteTooLong')
  if (given.isWellFormed() && !given.includes('\0')) return given
  throw new Refusal('invalidBody', {
    field: 'note',
    reason: { code: 'validUnicode', values: {} },
  })
}

/**
 * Reads the full path of a folder, which need not exist.
 *
 * @param missing The refusal when there is none.
 * @returns The path as OpenList keeps it.
 * @throws {Refusal} `folderMissing` or `folderTargetMissing`; `folderInvalid`.
 */
export function readFolder(
  given: string | null | undefined,
  missing: 'folderMissing' | 'folderTargetMissing' = 'folderMissing',
): string {
  const path = given ?? ''
  if (path === '') throw new Refusal(missing)
  const isFit =
    path.startsWith('/') &&
    charactersOf(path) <= MAX_RULE_PATH_CHARACTERS &&
    !path.split(/[/\\]/).includes('..') &&
    !/\p{Cc}/u.test(path) &&
    path.isWellFormed()
  if (!isFit)
    throw new Refusal('folderInvalid', { field: missing === 'folderMissing' ? 'path' : 'to' })
  return cleanFolder(path)
}

/** @throws {Refusal} `accessInvalid`. */
export function readAccess(given: string | null | undefined): Access {
  const access = ACCESS.find((each) => each === given)
  if (access === undefined) throw new Refusal('accessInvalid')
  return access
}
