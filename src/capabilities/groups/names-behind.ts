import { ADMIN, CHANGES_FILES, isPermitted, PERMISSION } from '../../core/accounts/roles.ts'
import { runBatch } from '../../core/database/statements.ts'
import type { Deps } from '../../core/deps.ts'
import { accessAt, foldersBelow, isAtOrBelow, mayWrite, type RulesAt, seenBy } from './decision.ts'
import { placesBehind, storageAt, type Storages } from './second-paths.ts'
import { type PersonHere, readPeople, selectPeople } from './store.ts'

/** The bits of a user who makes names of files or folders. */
const MAKES_NAMES =
  CHANGES_FILES | PERMISSION.decompress | PERMISSION.offlineDownload | PERMISSION.webdavWrite

/** Lists the folders behind the storages of paths, and those with rules below them. */
function foldersBehind(storages: Storages, paths: readonly string[], at: RulesAt): string[] {
  const shown = new Set(paths.map((path) => storageAt(storages, path)))
  const places = new Set(Array.from(shown).flatMap((path) => placesBehind(storages, path)))
  return Array.from(places).flatMap((place) => [place, ...foldersBelow(at, place)])
}

/** Tells whether some user may write in one of the folders. */
function mayMakeNames(people: readonly PersonHere[], at: RulesAt, folders: string[]): boolean {
  return people.some((person) => {
    if (person.role === ADMIN || !isPermitted(person.permission, MAKES_NAMES)) return false
    const seen = seenBy(at, person)
    return folders.some(
      (folder) => isInReach(person, folder) && mayWrite(accessAt(seen, folder).access),
    )
  })
}

/** Tells whether a base path shows a folder, or a part of it. */
function isInReach({ basePath }: PersonHere, folder: string): boolean {
  return isAtOrBelow(folder, basePath) || isAtOrBelow(basePath, folder)
}

/**
 * Tells whether some user may change the names behind the storage of a path at any time, so that a
 * look at it says nothing.
 */
export function isOpenBehind(
  { people, at }: { people: readonly PersonHere[]; at: RulesAt },
  storages: Storages,
  path: string,
): boolean {
  return mayMakeNames(people, at, foldersBehind(storages, [path], at))
}

/** Works like `isOpenBehind` for several paths. It reads the accounts where it needs them. */
export async function areOpenBehind(
  { db, now }: Pick<Deps, 'db' | 'now'>,
  at: RulesAt,
  storages: Storages,
  paths: readonly string[],
): Promise<boolean> {
  const folders = foldersBehind(storages, paths, at)
  if (folders.length === 0) return false
  const { people } = await runBatch(db, { people: selectPeople(db) })
  return mayMakeNames(readPeople(people, now()), at, folders)
}
