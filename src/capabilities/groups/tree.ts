import { GENERAL, GUEST } from '../../core/accounts/roles.ts'
import {
  accessAt,
  type Decided,
  type FolderRule,
  pathAndParents,
  rulesByPath,
  seenBy,
  type SeenRules,
} from './decision.ts'
import type { ListedRule } from './rule-store.ts'

/** What somebody may do at a folder without a rule there. */
export interface Other {
  /** Accounts that no rule names, or the user or the group of a rule above. */
  who: 'everybody' | 'user' | 'guest' | ListedRule
  access: Decided
  /** The folder whose rule decides; `undefined` when none does. */
  from: string | undefined
}

/** A folder with rules, and the folders with rules below it. */
export interface Folder {
  path: string
  rules: ListedRule[]
  others: Other[]
  below: Folder[]
}

/**
 * Makes a tree of the folders with rules.
 *
 * @param hasGuest Whether visitors who are not signed in see anything at all.
 */
export function treeOf(rules: readonly ListedRule[], hasGuest: boolean): Folder[] {
  const seenAs = seeing(rules)
  const at = Map.groupBy(rules, ({ path }) => path)
  const folders = Array.from(at, ([path, own]): Folder => {
    const above = pathAndParents(path).flatMap((parent) =>
      parent === path ? [] : (at.get(parent) ?? []),
    )
    return { path, rules: own, others: othersAt(path, { own, above, seenAs, hasGuest }), below: [] }
  }).toSorted((a, b) => (a.path < b.path ? -1 : 1))
  const known = new Map(folders.map((folder) => [folder.path, folder]))
  const roots: Folder[] = []
  for (const folder of folders) {
    const [, ...parents] = pathAndParents(folder.path)
    const parent = parents.map((path) => known.get(path)).find((found) => found !== undefined)
    const siblings = parent === undefined ? roots : parent.below
    siblings.push(folder)
  }
  return roots
}

type SeenAs = (whose: Whose) => SeenRules
type Whose = Pick<ListedRule, 'group' | 'userId'>

function keyOf({ group, userId }: Whose): string {
  return group ?? String(userId)
}

/** Returns, for each group and user of the rules, what rules such an account sees. */
function seeing(rules: readonly ListedRule[]): SeenAs {
  const groups = Array.from(new Set(rules.map(({ group }) => group)))
  const groupIdOf = (group: string | null) => groups.indexOf(group)
  const all = rulesByPath(
    rules.map(({ id, path, access, group, userId }): FolderRule => {
      const builtIn = group === 'user' || group === 'guest' ? group : null
      const groupId = group === null || builtIn !== null ? null : groupIdOf(group)
      return { id, path, access, builtIn, groupId, userId }
    }),
  )
  const known = new Map<string, SeenRules>()
  return (whose) => {
    const key = keyOf(whose)
    const made = known.get(key)
    if (made !== undefined) return made
    const { group, userId } = whose
    const isNamed = group !== null && group !== 'user' && group !== 'guest'
    const seen = seenBy(all, {
      id: userId ?? NOBODY,
      role: group === 'guest' ? GUEST : GENERAL,
      groupIds: isNamed ? [groupIdOf(group)] : [],
    })
    known.set(key, seen)
    return seen
  }
}

/** An id that no user has. */
const NOBODY = 0

interface Deciding {
  own: readonly ListedRule[]
  /** The rules of the folders above, the nearest first. */
  above: readonly ListedRule[]
  seenAs: SeenAs
  hasGuest: boolean
}

function othersAt(path: string, { own, above, seenAs, hasGuest }: Deciding): Other[] {
  const named = new Set(own.map(keyOf))
  const at = (who: Other['who'], whose: Whose): Other => {
    const { access, rule } = accessAt(seenAs(whose), path)
    return { who, access, from: rule?.path }
  }
  const visitors: Other = hasGuest
    ? at('guest', { group: 'guest', userId: null })
    : { who: 'guest', access: 'none', from: undefined }
  const guest = named.has('guest') ? [] : [visitors]
  if (named.has('user')) return guest
  const user = at('user', { group: 'user', userId: null })
  const inherited = new Map<string, ListedRule>()
  for (const rule of above) {
    const key = keyOf(rule)
    const isOther = !named.has(key) && key !== 'user' && key !== 'guest'
    const isGone = rule.userId !== null && rule.username === null
    if (isOther && !isGone && !inherited.has(key)) inherited.set(key, rule)
  }
  const ofAbove = Array.from(inherited.values(), (rule) => at(rule, rule)).filter(
    ({ access }) => access !== user.access,
  )
  const [visitor] = guest
  if (visitor?.access !== user.access) return [...ofAbove, user, ...guest]
  const from = hasGuest && visitor.from !== user.from ? undefined : user.from
  return [...ofAbove, { ...user, who: 'everybody', from }]
}
