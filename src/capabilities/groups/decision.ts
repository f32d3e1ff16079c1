import { isBelow } from '../../core/base/clean-folder.ts'
import { builtInGroupOf } from '../../core/accounts/groups.ts'
import { ADMIN } from '../../core/accounts/roles.ts'

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

/**
 * Decides what an account may do at a folder: the first folder upwards with a rule that names it
 * decides. When no rule names it, the folder is closed to it as soon as a rule there or above gives
 * somebody a right.
 *
 * @param path Full and clean.
 */
export function accessAt({ person, isAdmin, at }: SeenRules, path: string): Decision {
  if (isAdmin) return { access: 'write', rule: undefined }
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

/**
 * Decides what an account may do in all of a file or folder: the least of it and of each folder
 * with rules below it.
 *
 * @param path Full and clean.
 */
export function accessToWhole(seen: SeenRules, path: string): Decided {
  const folders = [...seen.at.keys()].filter((folder) => isBelow(folder, path))
  return [path, ...folders]
    .map((folder) => accessAt(seen, folder).access)
    .reduce((least, access) => (STRENGTH[access] < STRENGTH[least] ? access : least))
}

export function hasRulesBelow({ at }: Pick<SeenRules, 'at'>, path: string): boolean {
  return [...at.keys()].some((folder) => isBelow(folder, path))
}

export function hasRulesIn(seen: Pick<SeenRules, 'at'>, path: string): boolean {
  return seen.at.has(path) || hasRulesBelow(seen, path)
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
  for (const { id, seen } of people) {
    const { access } = accessAt(seen, path)
    if (mayRead(access)) readers.push(id)
    if (mayWrite(access)) writers.push(id)
  }
  return {
    readers: readers.length === people.length ? undefined : readers,
    writers: writers.length === people.length ? undefined : writers,
  }
}
