import { InvalidArgumentError } from 'commander'
import type { PermissionChange } from '../../users/store.ts'
import { MAX_PERMISSION, PERMISSION } from '../../accounts/roles.ts'
import { nearest } from './edit-distance.ts'

/** The bits by their names in commands: `seeHidden` is `see-hidden`. */
const BITS = new Map(
  Object.entries(PERMISSION).map(([name, bit]) => [
    name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`),
    bit,
  ]),
)
const SLACK = 4

export const PERMISSION_HELP = `
Permissions:
  ${[...BITS.keys()].join(', ').replace(/(.{60,80}), /g, '$1,\n  ')}`

/** Lists the names of the bits that are set. */
export function permissionNames(permission: number): string[] {
  return [...BITS].filter(([, bit]) => (permission & bit) !== 0).map(([name]) => name)
}

/**
 * Parses a number such as `29183`, or a change such as `+sftp-read,-remove`, which leaves the other
 * bits unchanged.
 */
export function parsePermission(text: string): number | PermissionChange {
  if (/^\d{1,5}$/.test(text) && Number(text) <= MAX_PERMISSION) return Number(text)
  const change = { set: 0, clear: 0 }
  for (const part of text.split(',')) {
    const [, sign, name = ''] = /^([+-])(.+)$/.exec(part.trim()) ?? []
    if (sign === undefined) {
      throw new InvalidArgumentError(
        `It must be a number from 0 to ${MAX_PERMISSION}, or names such as +sftp-read,-remove.`,
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
  const meant = nearest(name, [...BITS.keys()], SLACK)
  const hint = meant === undefined ? '--help lists all.' : `Did you mean ${meant}?`
  throw new InvalidArgumentError(`There is no permission "${name}". ${hint}`)
}
