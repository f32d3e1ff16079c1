import { ADMIN, CHANGES_FILES, isPermitted, PERMISSION } from '../../core/accounts/roles.ts'
import { runBatch } from '../../core/database/statements.ts'
import type { Deps } from '../../core/deps.ts'
import { accessAt, foldersBelow, isAtOrBelow, mayWrite, type RulesAt, seenBy } from './decision.ts'
import { type PersonHere, readPeople, selectPeople } from './store.ts'

/** The bits with which a user makes files or folders. */
const MAKES_NAMES =
  CHANGES_FILES | PERMISSION.decompress | PERMISSION.offlineDownload | PERMISSION.webdavWrite

/** Tells whether some user may make names in some places (`placesBehind`). */
export function mayMakeNames(
  people: readonly PersonHere[],
  at: RulesAt,
  places: readonly string[],
): boolean {
  const makers = people.filter(
    ({ role, permission }) => role !== ADMIN && isPermitted(permission, MAKES_NAMES),
  )
  return Array.from(new Set(places)).some((place) => {
    const folders = [place, ...foldersBelow(at, place)]
    return makers.some((person) => {
      const seen = seenBy(at, person)
      return folders.some(
        (folder) => isInReach(person, folder) && mayWrite(accessAt(seen, folder).access),
      )
    })
  })
}

/** Tells whether a base path shows a folder, or a part of it. */
function isInReach({ basePath }: PersonHere, folder: string): boolean {
  return isAtOrBelow(folder, basePath) || isAtOrBelow(basePath, folder)
}

/** Works like `mayMakeNames`, for the accounts of this site. */
export async function mayBeNamedBehind(
  { db, now }: Pick<Deps, 'db' | 'now'>,
  at: RulesAt,
  places: readonly string[],
): Promise<boolean> {
  if (places.length === 0) return false
  const { people } = await runBatch(db, { people: selectPeople(db) })
  return mayMakeNames(readPeople(people, now()), at, places)
}
