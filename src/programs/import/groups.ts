import { CommandError } from '../kit/command-error.ts'
import {
  isOfNobody,
  MAX_FOLDER_RULES,
  MAX_GROUPS,
  MAX_RULE_FOLDERS,
} from '../../core/accounts/groups.ts'
import { planRoles } from './alist-roles.ts'
import { planLatchkey } from './latchkey-groups.ts'
import type { HereRule, NamedRule, SiteState } from './site-state.ts'
import type { Item, Source } from './source.ts'
import {
  addRule,
  type GivenRule,
  isSameRule,
  NOBODY,
  type OldGroup,
  type OldMember,
  type People,
  type SourceGroups,
} from './source-groups.ts'

/** A folder rule that the import makes. */
export interface OldFolderRule extends GivenRule {
  /** The number of rules of the plan before it. */
  before: number
  /** The number of folders up to this rule that have no rule yet. */
  folders: number
}

/** A rule that is here, and takes the stricter right of the source. */
export interface StricterRule {
  id: number
  access: GivenRule['access']
}

export interface GroupsPlan {
  groups: OldGroup[]
  members: OldMember[]
  /** What takes rights away comes first. */
  rules: OldFolderRule[]
  stricter: StricterRule[]
  refused: Item[]
  notes: Item[]
}

/** Plans the groups, their members and the folder rules of a Latchkey, or of the roles of AList. */
export function planGroups(source: Source, people: People): GroupsPlan {
  const plan: SourceGroups = { groups: [], members: new Map(), rules: [], refused: [], notes: [] }
  if (source.kind === 'latchkey') planLatchkey(source, people, plan)
  else planRoles(source, people, plan)
  const { site } = people
  const members = Array.from(plan.members.values()).flat()
  const stricter = findStricter(plan, site)
  const isHere = (rule: GivenRule) => site.folderRules.some((here) => isSameRule(rule, here))
  return {
    groups: plan.groups.filter(({ nameKey }) => !site.groups.includes(nameKey)),
    members,
    rules: numbered(
      plan.rules.filter((rule) => !isHere(rule)),
      site,
    ),
    stricter,
    refused: plan.refused,
    notes: [...plan.notes, ...noteJoined(plan, members, site)],
  }
}

function has(those: readonly Pick<NamedRule, 'nameKey'>[], key: string): boolean {
  return those.some(({ nameKey }) => nameKey === key)
}

/** Names the groups of this site whose rights the users of the source get. */
function noteJoined(
  { groups }: SourceGroups,
  members: readonly OldMember[],
  { folderRules }: SiteState,
): Item[] {
  const joined = groups.filter(({ nameKey: key }) => has(members, key) && has(folderRules, key))
  return joined.map(({ name }) => ({ kind: 'group', name, reason: JOINED }))
}

const JOINED = 'is the group of this name that was here: its users get the rights of both'

const ORDER: readonly GivenRule['access'][] = ['none', 'read', 'write']

/** A rule of nobody closes its folder when it gives a right. */
function isStricter(rule: GivenRule, here: HereRule): boolean {
  if (isOfNobody(rule.userId)) return here.access === 'none'
  return ORDER.indexOf(rule.access) < ORDER.indexOf(here.access)
}

/**
 * Finds the rules of the site that the source has with another right. The stricter right holds: a
 * folder must not be more open than at the source.
 */
function findStricter(plan: SourceGroups, { folderRules }: SiteState): StricterRule[] {
  const pairs = plan.rules.flatMap((rule) => {
    const here = folderRules.find((each) => isSameRule(rule, each))
    return here === undefined || here.access === rule.access ? [] : [{ rule, here }]
  })
  for (const { rule, here } of pairs)
    if (!isOfNobody(rule.userId)) plan.notes.push(noteOf(rule, here))
  const stricter = pairs.filter(({ rule, here }) => isStricter(rule, here))
  // Without a rule that gives a right, the folder would open to all whom no rule names.
  for (const { rule } of stricter)
    if (rule.access === 'none') addRule({ path: rule.path, access: 'read' }, NOBODY, plan)
  return stricter.map(({ rule, here }) => ({ id: here.id, access: rule.access }))
}

function noteOf(rule: GivenRule, here: HereRule): Item {
  const who = rule.builtIn ?? rule.nameKey ?? 'a user'
  const reason = isStricter(rule, here)
    ? `${who} has ${rule.access} now, as at the source; it was ${here.access} here`
    : `${who} keeps ${here.access}, which is stricter than ${rule.access} at the source`
  return { kind: 'folder rule', name: rule.path, reason }
}

function isNone({ access }: GivenRule): boolean {
  return access === 'none'
}

/** Puts the rules into the order in which they are written, and counts them. */
function numbered(rules: readonly GivenRule[], { folderRules }: SiteState): OldFolderRule[] {
  const here = new Set(folderRules.map(({ path }) => path))
  const folders = new Set<string>()
  const inOrder = [...rules.filter(isNone), ...rules.filter((rule) => !isNone(rule))]
  return inOrder.map((rule, before) => {
    if (!here.has(rule.path)) folders.add(rule.path)
    return { ...rule, before, folders: folders.size }
  })
}

/**
 * Refuses an import whose groups and rules do not fit as a whole: without some of its rules, a
 * folder is open.
 *
 * @throws {CommandError}
 */
export function refuseTooMany(
  { groups, rules }: Pick<GroupsPlan, 'groups' | 'rules'>,
  site: SiteState,
) {
  const paths = new Set([...site.folderRules, ...rules].map(({ path }) => path))
  const counts: [string, number, number][] = [
    ['groups', site.groups.length + groups.length, MAX_GROUPS],
    ['folder rules', site.folderRules.length + rules.length, MAX_FOLDER_RULES],
    ['folders with rules', paths.size, MAX_RULE_FOLDERS],
  ]
  const over = counts.filter(([, total, most]) => total > most)
  if (over.length === 0) return
  const text = over.map(([what, total, most]) => `${total} ${what}, of at most ${most}`).join('; ')
  throw new CommandError(
    `With this file, the site would have ${text}. Nothing was imported, because without some of the rules, folders would be open: remove what is not needed at the source or here, and run this again.`,
  )
}
