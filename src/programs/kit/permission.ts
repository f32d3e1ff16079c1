import { InvalidArgumentError } from 'commander'
import type { PermissionChange } from '../../capabilities/users/guarded-fields.ts'
import { isLevel, LEVELS } from '../../core/accounts/permission-levels.ts'
import { MAX_PERMISSION, PERMISSION } from '../../core/accounts/roles.ts'
import { nearest } from './edit-distance.ts'

/** The bits by their names in commands: `seeHidden` is `see-hidden`. */
const BITS = new Map(
  Object.entries(PERMISSION).map(([name, bit]) => [
    name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`),
    bit,
  ]),
)
const SLACK = 4

/** Words for all permissions of a user. */
const WHOLE: Readonly<Record<string, number>> = { ...LEVELS, all: MAX_PERMISSION, none: 0 }
const NAMES = [...BITS.keys()].join(', ').replace(/(.{60,80}), /g, '$1,\n  ')

/** The names of the levels and of all permissions, for `--help`. */
export const PERMISSION_LIST = `${NAMES}
  Levels, as on the pages: ${Object.keys(LEVELS).join(', ')}`

/** Lists the names of the bits that are set. */
export function permissionNames(permission: number): string[] {
  return [...BITS].filter(([, bit]) => (permission & bit) !== 0).map(([name]) => name)
}

/** Names the permissions in the shorter way: those that are set, or `all but` those that are not. */
export function permissionText(permission: number): string {
  const names = permissionNames(permission)
  const missing = permissionNames(~permission)
  if (names.length === 0) return 'none'
  if (missing.length === 0) return 'all'
  return names.length <= missing.length ? names.join(', ') : `all but ${missing.join(', ')}`
}

/**
 * Parses all permissions of a user, as a level (`write`), `sftp-read,share`, `write,share`, `all`,
 * `none` or a number such as `29183`; or a change such as `+sftp-read,-remove`, which leaves the
 * other bits unchanged.
 */
export function parsePermission(text: string): number | PermissionChange {
  if (/^\d{1,5}$/.test(text) && Number(text) <= MAX_PERMISSION) return Number(text)
  if (Object.hasOwn(WHOLE, text)) return WHOLE[text] ?? 0
  const parts = text.split(',').map((part) => part.trim())
  if (parts.every((part) => /^[a-z]/.test(part)))
    return parts.reduce((bits, name) => bits | (isLevel(name) ? LEVELS[name] : bitOf(name)), 0)
  return parseChange(parts)
}

function parseChange(parts: string[]): PermissionChange {
  const change = { set: 0, clear: 0 }
  for (const part of parts) {
    const [, sign, name = ''] = /^([+-])(.+)$/.exec(part) ?? []
    if (sign === undefined) {
      throw new InvalidArgumentError(
        'It must be a level such as write, names such as sftp-read,share, or changes such as +sftp-read,-remove, or all, or none.',
      )
    }
    const side = sign === '+' ? 'set' : 'clear'
    change[side] |= bitOf(name)
  }
  if ((change.set & change.clear) === 0) return change
  throw new InvalidArgumentError('The same permission can not be both added and removed.')
}

function bitOf(name: string): number {
  const bit = BITS.get(name)
  if (bit !== undefined) return bit
  // A level is no change: without it, what would be left?
  if (isLevel(name))
    throw new InvalidArgumentError(`${name} is a level: it stands without + and -.`)
  const meant = nearest(name, [...BITS.keys(), ...Object.keys(LEVELS)], SLACK)
  const hint = meant === undefined ? '--help lists all.' : `Did you mean ${meant}?`
  throw new InvalidArgumentError(`There is no permission "${name}". ${hint}`)
}
