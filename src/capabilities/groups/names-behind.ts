import { ADMIN, CHANGES_FILES, isPermitted, PERMISSION } from '../../core/accounts/roles.ts'
import { runBatch } from '../../core/database/statements.ts'
import type { Deps } from '../../core/deps.ts'
import { accessAt, foldersBelow, isAtOrBelow, mayWrite, type RulesAt, seenBy } from './decision.ts'
import { areMet, writesWhole } from './needs.ts'
import { type PlaceBehind, placesBehind, storageAt, type Storages } from './second-paths.ts'
import { type PersonHere, readPeople, selectPeople } from './store.ts'

/** The bits of a user who takes names of files out of archives, or from elsewhere. */
const UNPACKS = PERMISSION.decompress | PERMISSION.offlineDownload
/** The bits of a user who makes files or folders. */
const MAKES = CHANGES_FILES | UNPACKS | PERMISSION.webdavWrite

/**
 * Lists where names can be made behind paths that lead to what is closed, whatever a look at the
 * paths has found before.
 *
 * @param isClosed Tells whether the one who asks may not do in all of a folder what is asked.
 */
export function placesBehindAll(
  storages: Storages,
  paths: readonly string[],
  isClosed: (folder: string) => boolean,
): PlaceBehind[] {
  if (!isClosed('/')) return []
  return Array.from(new Set(paths.map((path) => storageAt(storages, path)))).flatMap((shown) => {
    const places = placesBehind(storages, shown)
    return isClosed(shown) ? places : places.filter((place) => 'unpacked' in place)
  })
}

/** Tells whether some user may make such names in one of the places. */
export function mayMakeNames(
  people: readonly PersonHere[],
  at: RulesAt,
  places: readonly PlaceBehind[],
): boolean {
  const different = new Map(places.map((place) => [JSON.stringify(place), place]))
  return Array.from(different.values()).some((place) => {
    const [bits, all] = 'named' in place ? [MAKES, undefined] : [UNPACKS, place.unpacked]
    const folders = 'named' in place ? [place.named, ...foldersBelow(at, place.named)] : all
    return people.some((person) => {
      if (person.role === ADMIN || !isPermitted(person.permission, bits)) return false
      const seen = seenBy(at, person)
      const reached = folders?.filter((folder) => isInReach(person, folder)) ?? []
      if (all !== undefined) return reached.length > 0 && areMet(seen, all.map(writesWhole))
      return reached.some((folder) => mayWrite(accessAt(seen, folder).access))
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
  places: readonly PlaceBehind[],
): Promise<boolean> {
  if (places.length === 0) return false
  const { people } = await runBatch(db, { people: selectPeople(db) })
  return mayMakeNames(readPeople(people, now()), at, places)
}
