import { isBelow } from '../../core/base/clean-folder.ts'
import { builtInGroupOf } from '../../core/accounts/groups.ts'
import { ADMIN } from '../../core/accounts/roles.ts'
import { foldPath } from './spelling.ts'

/** The right that a folder rule gives. `write` includes `read`. */
export const ACCESS = ['none', 'read', 'write'] as const
export type Access = (typeof ACCESS)[number]

/** What an account may do at a folder. `open`: no rule decides, so only the permission bits do. */
export type Decided = Access | 'open'

/** A rule for a folder and all below it. One of `builtIn`, `groupId` and `userId` is not null. */
export interface FolderRule {
  id: number
  /** Full and clean. */
  path: string
  builtIn: 'user' | 'guest' | null
  groupId: number | null
  userId: number | null
  access: Access
}

/** An account, as far as rules can name it. */
export interface Person {
  id: number
  role: number
  groupIds: readonly number[]
}

/**
 * How near a rule comes to an account: 3 for a rule of the account, 2 for one of its groups, 1 for
 * `user` or `guest`, 0 for a rule of others.
 */
type Rank = 0 | 1 | 2 | 3

/** The rules by the paths of their folders. */
export type RulesAt = ReadonlyMap<string, readonly FolderRule[]>

/** The rules, and the account that they are decided for. */
export interface SeenRules {
  person: Person
  isAdmin: boolean
  at: RulesAt
}

/** What an account may do at a folder, and the rule of the account that decides it. */
export interface Decision {
  access: Decided
  rule: FolderRule | undefined
  /** The folder with rules that decides, because the path may be another spelling of it. */
  otherSpellingOf?: string
}

/** How much each decision allows. `open` forbids nothing. */
const STRENGTH: Readonly<Record<Decided, number>> = { none: 0, read: 1, write: 2, open: 2 }

/** Of several groups, `none` comes before `write`, and `write` before `read`. */
const BETWEEN_GROUPS: readonly Access[] = ['none', 'write', 'read']

export function mayRead(decided: Decided): boolean {
  return STRENGTH[decided] >= STRENGTH.read
}

export function mayWrite(decided: Decided): boolean {
  return STRENGTH[decided] >= STRENGTH.write
}

/** Lists a clean path and all folders above it, the nearest first. */
export function pathAndParents(path: string): string[] {
  const paths = [path]
  for (let end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1))
    paths.push(path.slice(0, end))
  if (path !== '/') paths.push('/')
  return paths
}

export function isAtOrBelow(path: string, folder: string): boolean {
  return path === folder || isBelow(path, folder)
}

/** Sorts rules by the paths of their folders. */
export function rulesByPath(rules: readonly FolderRule[]): RulesAt {
  return Map.groupBy(rules, ({ path }) => path)
}

/** Returns the rules as an account sees them. */
export function seenBy(at: RulesAt, person: Person): SeenRules {
  return { person, isAdmin: person.role === ADMIN, at }
}

function rankOf({ builtIn, groupId, userId }: FolderRule, person: Person): Rank {
  if (userId !== null) return userId === person.id ? 3 : 0
  if (groupId !== null) return person.groupIds.includes(groupId) ? 2 : 0
  return builtIn === builtInGroupOf(person.role) ? 1 : 0
}

/** The folders with rules, folded. */
interface FoldedFolders {
  foldOf: ReadonlyMap<string, string | undefined>
  byFold: ReadonlyMap<string | undefined, readonly string[]>
  /** They and all folders above them, folded or not. */
  onWay: ReadonlySet<string>
}

/** The same for all who ask, and for all items of a request. */
const foldedFolders = new WeakMap<RulesAt, FoldedFolders>()

function foldedOf(at: RulesAt): FoldedFolders {
  const known = foldedFolders.get(at)
  if (known !== undefined) return known
  const foldOf = new Map(Array.from(at.keys(), (folder) => [folder, foldPath(folder)]))
  const byFold = Map.groupBy(at.keys(), (folder) => foldOf.get(folder))
  const folders = [...foldOf].flat().filter((path) => path !== undefined)
  const made = { foldOf, byFold, onWay: new Set(folders.flatMap(pathAndParents)) }
  foldedFolders.set(at, made)
  return made
}

/** Lists the folders with rules that a path may be at or below in another spelling. */
function otherSpellings(at: RulesAt, path: string): string[] {
  if (at.size === 0) return []
  const { byFold } = foldedOf(at)
  const folded = foldPath(path)
  const found =
    folded === undefined
      ? Array.from(at.keys())
      : pathAndParents(folded).flatMap((parent) => byFold.get(parent) ?? [])
  return found.filter((folder) => !isAtOrBelow(path, folder))
}

/**
 * Decides what an account may do at a folder: the first folder upwards with a rule that names it
 * decides. When no rule names it, the folder is closed to it as soon as a rule there or above gives
 * somebody a right.
 *
 * A storage may take the path for another spelling of a folder with rules: then the least counts.
 * Only a rule that names the account decides against another spelling of its own folder.
 *
 * @param path Full and clean.
 * @param others Those of `otherSpellings`.
 */
export function accessAt(
  seen: SeenRules,
  path: string,
  others: readonly string[] = seen.isAdmin ? [] : otherSpellings(seen.at, path),
): Decision {
  if (seen.isAdmin) return { access: 'write', rule: undefined }
  let decided = accessBySpelling(seen, path)
  if (others.length === 0) return decided
  const { foldOf } = foldedOf(seen.at)
  const named = decided.rule && foldOf.get(decided.rule.path)
  for (const folder of others) {
    const isBelowNamed = named === undefined || !isAtOrBelow(named, foldOf.get(folder) ?? folder)
    const other = accessBySpelling(seen, folder)
    if (isBelowNamed && STRENGTH[other.access] < STRENGTH[decided.access])
      decided = { ...other, otherSpellingOf: folder }
  }
  return decided
}

/** Tells whether a path is closed because it may be another spelling of one that is. */
export function isOtherSpelling(seen: SeenRules, path: string): boolean {
  const { access, otherSpellingOf } = accessAt(seen, path)
  return otherSpellingOf !== undefined && !mayRead(access)
}

/**
 * Tells whether a path is another spelling of a folder above one that is closed: its list would
 * show the name. A rule that names the account for this spelling itself decides against it.
 */
export function isOtherSpellingAbove(seen: SeenRules, path: string): boolean {
  const folded = foldPath(path)
  const { onWay, foldOf } = foldedOf(seen.at)
  if (folded === undefined || !onWay.has(folded)) return false
  const { rule } = accessBySpelling(seen, path)
  return Array.from(foldOf).some(
    ([folder, fold]) =>
      fold !== undefined &&
      isBelow(fold, folded) &&
      !isBelow(folder, path) &&
      (rule === undefined || isAtOrBelow(folder, rule.path)) &&
      !mayRead(accessAt(seen, folder).access),
  )
}

/** Decides as `accessAt`, by the folders that are spelled as they are in the path. */
function accessBySpelling({ person, at }: SeenRules, path: string): Decision {
  let isGiven = false
  for (const folder of pathAndParents(path)) {
    const there = at.get(folder) ?? []
    const rule = nearestOf(there, person)
    if (rule !== undefined) return { access: rule.access, rule }
    isGiven ||= there.some(({ access }) => access !== 'none')
  }
  return { access: isGiven ? 'none' : 'open', rule: undefined }
}

/** Finds the rule of one folder that decides for an account. */
function nearestOf(rules: readonly FolderRule[], person: Person): FolderRule | undefined {
  const ranks = rules.map((rule) => rankOf(rule, person))
  const rank = Math.max(0, ...ranks)
  if (rank === 0) return undefined
  const nearest = rules.filter((_, i) => ranks[i] === rank)
  for (const access of BETWEEN_GROUPS) {
    const rule = nearest.find((each) => each.access === access)
    if (rule !== undefined) return rule
  }
  return undefined
}

/** Lists the folders with rules below a path, in any spelling. */
export function foldersBelow(at: RulesAt, path: string): string[] {
  const folded = foldPath(path)
  // Nobody knows where this is.
  if (folded === undefined) return Array.from(at.keys())
  return Array.from(foldedOf(at).foldOf)
    .filter(([folder, fold]) => isBelow(fold ?? folder, fold === undefined ? path : folded))
    .map(([folder]) => folder)
}

/**
 * Decides what an account may do in all of a file or folder: the least of it and of each folder
 * with rules below it.
 *
 * @param path Full and clean.
 */
export function accessToWhole(seen: SeenRules, path: string): Decided {
  return [path, ...foldersBelow(seen.at, path)]
    .map((folder) => accessAt(seen, folder).access)
    .reduce((least, access) => (STRENGTH[access] < STRENGTH[least] ? access : least))
}

/** Tells whether a path is a folder with rules or above one, in any spelling. */
export function isOnWay(at: RulesAt, path: string): boolean {
  const { onWay } = foldedOf(at)
  if (onWay.has(path)) return true
  const folded = foldPath(path)
  return folded === undefined || onWay.has(folded)
}

export function hasRulesBelow({ at }: Pick<SeenRules, 'at'>, path: string): boolean {
  return foldersBelow(at, path).length > 0
}

export function hasRulesIn({ at }: Pick<SeenRules, 'at'>, path: string): boolean {
  return at.has(path) || foldedOf(at).byFold.has(foldPath(path)) || hasRulesBelow({ at }, path)
}

/** Tells whether a folder, or one above it, has rules. */
export function isCovered(ruled: Pick<RulesAt, 'has'>, path: string): boolean {
  return pathAndParents(path).some((folder) => ruled.has(folder))
}

/** Tells whether a rule decides about a folder, or about one below it. */
export function isRuled(at: RulesAt, path: string): boolean {
  return isCovered(at, path) || otherSpellings(at, path).length > 0 || hasRulesBelow({ at }, path)
}

/** The ids of accounts of this site; `undefined` where everybody may. */
export interface UsersOfFolder {
  readers: number[] | undefined
  writers: number[] | undefined
}

/**
 * Lists who may read and who may write a folder.
 *
 * @param people With the rules as each of them sees them.
 * @param path Full and clean.
 */
export function usersOf(
  people: readonly { id: number; seen: SeenRules }[],
  path: string,
): UsersOfFolder {
  const readers: number[] = []
  const writers: number[] = []
  const others = people[0] && otherSpellings(people[0].seen.at, path)
  for (const { id, seen } of people) {
    const { access } = accessAt(seen, path, others)
    if (mayRead(access)) readers.push(id)
    if (mayWrite(access)) writers.push(id)
  }
  return {
    readers: readers.length === people.length ? undefined : readers,
    writers: writers.length === people.length ? undefined : writers,
  }
}
