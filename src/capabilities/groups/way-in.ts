import { isBelow } from '../../core/base/clean-folder.ts'
import { accessAt, mayRead, type SeenRules } from './decision.ts'

/** The folders that lead to those below that an account may read. */
export interface WayIn {
  /** The folder itself is closed to the account. */
  isClosed: boolean
  /** The names that OpenList hides because the folders are closed. Sorted, without duplicates. */
  names: string[]
}

/**
 * Finds what an account is shown of the way to folders that it may read: in a folder that is closed
 * to it, every folder on the way; in another one, those that are closed.
 *
 * @param folder Full and clean.
 * @returns `undefined` for a folder that has none of them.
 */
export function wayIn(seen: SeenRules, folder: string): WayIn | undefined {
  const isClosed = accessAt(seen, folder).access === 'none'
  const inside = folder === '/' ? '/' : `${folder}/`
  const names = Array.from(seen.at.keys())
    .filter((path) => isBelow(path, folder) && mayRead(accessAt(seen, path).access))
    .map((path) => path.slice(inside.length).split('/', 1).join(''))
  const hidden = Array.from(new Set(names)).filter(
    (name) => isClosed || !mayRead(accessAt(seen, inside + name).access),
  )
  return hidden.length === 0 ? undefined : { isClosed, names: hidden.toSorted() }
}
