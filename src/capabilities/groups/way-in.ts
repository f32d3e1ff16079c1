import { accessAt, isBelow, mayRead, type SeenRules } from './decision.ts'

/**
 * Lists what an account is shown in a folder that is closed to it: the names of the folders on the
 * way to those below that it may read.
 *
 * @param folder Full and clean.
 * @returns Sorted, without duplicates; `undefined` for a folder that is not closed, or leads
 *   nowhere.
 */
export function wayIn(seen: SeenRules, folder: string): string[] | undefined {
  if (accessAt(seen, folder).access !== 'none') return undefined
  const start = folder === '/' ? 1 : folder.length + 1
  const names = Array.from(seen.at.keys())
    .filter((path) => isBelow(path, folder) && mayRead(accessAt(seen, path).access))
    .map((path) => path.slice(start).split('/', 1).join(''))
  return names.length === 0 ? undefined : Array.from(new Set(names)).toSorted()
}
