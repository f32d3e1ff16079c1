import { BUILT_IN_GROUPS, groupNameKey } from '../../core/accounts/groups.ts'
import { Refusal } from '../../core/base/refusals.ts'
import { ACCESS, type Access, cleanFolder } from './decision.ts'

const MAX_NAME_CHARACTERS = 64
const MAX_NOTE_CHARACTERS = 200
const MAX_PATH_CHARACTERS = 1000

/** The built-in groups, the groups of the LDAP door, and names that other programs give to all. */
const RESERVED_NAMES: ReadonlySet<string> = new Set([
  ...BUILT_IN_GROUPS,
  'users',
  'admins',
  'guests',
  'everyone',
  'webdav-read',
  'webdav-write',
  'sftp-read',
  'sftp-write',
])

/** Characters that separate names in headers and lists, and those that change a line. */
const UNFIT = /[,;|"/\\\p{Cc}\p{Zl}\p{Zp}\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069]/u

function charactersOf(text: string): number {
  return Array.from(text).length
}

/**
 * Reads the name of a new group.
 *
 * @returns The name without blanks around it, in the Unicode form NFC.
 * @throws {Refusal} `groupNameMissing`, `groupNameTooLong`, `groupNameCharacters`,
 *   `groupNameReserved`.
 */
export function readGroupName(given: string | null | undefined): string {
  const name = (given ?? '').trim().normalize('NFC')
  if (name === '') throw new Refusal('groupNameMissing')
  if (charactersOf(name) > MAX_NAME_CHARACTERS) throw new Refusal('groupNameTooLong')
  if (UNFIT.test(name) || !name.isWellFormed()) throw new Refusal('groupNameCharacters')
  if (RESERVED_NAMES.has(groupNameKey(name))) throw new Refusal('groupNameReserved')
  return name
}

/** @throws {Refusal} `groupNoteTooLong`, `invalidBody`. */
export function readNote(given: string): string {
  if (charactersOf(given) > MAX_NOTE_CHARACTERS) throw new Refusal('groupNoteTooLong')
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
    charactersOf(path) <= MAX_PATH_CHARACTERS &&
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
