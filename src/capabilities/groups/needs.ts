import { Refusal } from '../../core/base/refusals.ts'
import {
  type Access,
  accessAt,
  accessToWhole,
  hasRulesBelow,
  hasRulesIn,
  isOnWay,
  mayRead,
  mayWrite,
  type SeenRules,
} from './decision.ts'

/**
 * What a request does to the whole of an item: the file or folder, and every folder with rules
 * below it. OpenList itself looks at the folder above the item.
 */
export interface Need {
  /** Full and clean. */
  path: string
  access: Exclude<Access, 'none'>
  /** The folders with rules below it do not count. */
  isAlone?: boolean
  /** The rules that must not be there, because they would stay behind: at the item or below it. */
  noRules?: 'within' | 'below'
  /** Whether such a rule stops an admin, too. */
  isForAdmins?: boolean
}

export const readsWhole = (path: string): Need => ({ path, access: 'read' })
export const writesWhole = (path: string): Need => ({ path, access: 'write' })
export const writesAlone = (path: string): Need => ({ ...writesWhole(path), isAlone: true })
export const removes = (path: string): Need => ({ path, access: 'write', noRules: 'within' })
export const takesAway = (path: string): Need => ({ ...removes(path), isForAdmins: true })
export const changesBelow = (path: string): Need => ({ path, access: 'write', noRules: 'below' })
export const takesAwayBelow = (path: string): Need => ({ ...changesBelow(path), isForAdmins: true })

/**
 * Refuses what the rules of folders do not allow.
 *
 * @throws {Refusal} `folderDenied`, `folderHasRules`.
 */
export function refuseUnmet(seen: SeenRules, needs: readonly Need[]): void {
  const unmet = findUnmet(seen, needs)
  if (unmet !== undefined) throw new Refusal(unmet)
}

export function areMet(seen: SeenRules, needs: readonly Need[]): boolean {
  return findUnmet(seen, needs) === undefined
}

type Unmet = 'folderDenied' | 'folderHasRules'

function findUnmet(seen: SeenRules, needs: readonly Need[]): Unmet | undefined {
  if (seen.at.size === 0) return undefined
  // One request can name thousands of items, most without rules, or one of them thousands of times.
  const different = new Map(
    needs.map((need) => [`${need.access} ${need.noRules} ${need.isAlone} ${need.path}`, need]),
  )
  for (const need of different.values()) {
    const unmet = unmetOf(seen, need, isOnWay(seen.at, need.path))
    if (unmet !== undefined) return unmet
  }
  return undefined
}

function unmetOf(
  seen: SeenRules,
  { path, access, noRules, isAlone = false, isForAdmins = false }: Need,
  hasRules: boolean,
): Unmet | undefined {
  const decided = hasRules && !isAlone ? accessToWhole(seen, path) : accessAt(seen, path).access
  const isMet = access === 'read' ? mayRead(decided) : mayWrite(decided)
  if (!isMet) return 'folderDenied'
  if (!hasRules || noRules === undefined || (seen.isAdmin && !isForAdmins)) return undefined
  const isStopped = noRules === 'within' ? hasRulesIn(seen, path) : hasRulesBelow(seen, path)
  return isStopped ? 'folderHasRules' : undefined
}
