import { GENERAL, GUEST } from '../../core/accounts/roles.ts'
import { accessAt, mayRead, seenBy } from './decision.ts'
import type { RightsHere } from './plan.ts'

/**
 * Tells whether a folder is closed to a user whom no other rule names, and open to the guest: then
 * who signs out reads it.
 */
export function isOpenToGuest(
  { at, people }: Pick<RightsHere, 'at' | 'people'>,
  path: string,
): boolean {
  const guest = people.find(({ role, isEnabled }) => role === GUEST && isEnabled)
  if (guest === undefined) return false
  const anybody = { id: 0, role: GENERAL, groupIds: [] }
  const ofUsers = accessAt(seenBy(at, anybody), path).access
  return !mayRead(ofUsers) && mayRead(accessAt(seenBy(at, guest), path).access)
}
