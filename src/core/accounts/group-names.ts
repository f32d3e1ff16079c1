import { Refusal } from '../base/refusals.ts'
import { charactersOf } from '../base/text.ts'
import { BUILT_IN_GROUPS, groupNameKey } from './groups.ts'
import { latinLook } from './look-alikes.ts'
import { hasInvisible } from './username.ts'

const MAX_NAME_CHARACTERS = 64

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

/** Tells whether a name has a character that separates names in headers and lists, or begins a line. */
function hasUnfit(name: string): boolean {
  return /[,;|"/\\\p{Cc}\p{Zl}\p{Zp}]/u.test(name)
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
  if (hasUnfit(name) || hasInvisible(name) || !name.isWellFormed())
    throw new Refusal('groupNameCharacters')
  if (isReservedKey(groupNameKey(name))) throw new Refusal('groupNameReserved')
  return name
}

/** Tells whether a key is that of a reserved name, or looks like one. */
export function isReservedKey(key: string): boolean {
  return RESERVED_NAMES.has(latinLook(key))
}
