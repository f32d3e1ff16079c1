import { isBelow } from '../../core/base/clean-folder.ts'
import * as v from 'valibot'
import { readGroupName } from '../../core/accounts/group-names.ts'
import {
  groupNameKey,
  MAX_GROUP_NOTE_CHARACTERS,
  MAX_GROUPS_OF_USER,
  MAX_RULE_PATH_CHARACTERS,
} from '../../core/accounts/groups.ts'
import { basePathSchema } from '../../core/accounts/fields.ts'
import { ADMIN, CHANGES_FILES, GUEST, isPermitted } from '../../core/accounts/roles.ts'
import { usernameKey } from '../../core/accounts/username.ts'
import { Refusal } from '../../core/base/refusals.ts'
import { latchkey } from '../kit/printed-command.ts'
import { isWritten, type Outcome } from './accounts.ts'
import { readId, readText } from './columns.ts'
import type { NamedRule, SiteState } from './site-state.ts'
import type { Item, RawRow, Source } from './source.ts'

/** A group of the source. Here, it is the group of the same name. */
export interface OldGroup {
  name: string
  nameKey: string
  note: string
}

/** A user whom the import writes, in a group. */
export interface OldMember {
  nameKey: string
  userId: number
  usernameKey: string
  /** The number of the groups that the import has given to the user before. */
  before: number
}

/** A folder rule, with the name of its group in place of the id. */
export interface OldFolderRule extends NamedRule {
  access: 'none' | 'read' | 'write'
  /** The number of rules of the plan before it. */
  before: number
  /** The number of folders of the plan up to this rule. */
  folders: number
}

export interface GroupsPlan {
  groups: OldGroup[]
  members: OldMember[]
  rules: OldFolderRule[]
  refused: Item[]
  notes: Item[]
}

/** Members by the id of the user. */
interface Planning extends Omit<GroupsPlan, 'members' | 'notes'> {
  members: Map<number, OldMember[]>
}

function isSameRule(one: NamedRule, other: NamedRule): boolean {
  return (
    one.path === other.path &&
    one.builtIn === other.builtIn &&
    one.nameKey === other.nameKey &&
    one.userId === other.userId
  )
}

/** The users of the source, as the import decides about them. */
interface People {
  outcomes: Map<number, Outcome>
  site: SiteState
}

/** Plans the groups, their members and the folder rules of a Latchkey, or of the roles of AList. */
export function planGroups(source: Source, people: People): GroupsPlan {
  const plan: Planning = { groups: [], members: new Map(), rules: [], refused: [] }
  if (source.kind === 'latchkey') planLatchkey(source, people, plan)
  else planRoles(source, people, plan)
  const { groups, folderRules } = people.site
  const rules = plan.rules.filter((rule) => !folderRules.some((here) => isSameRule(rule, here)))
  return {
    ...plan,
    groups: plan.groups.filter(({ nameKey }) => !groups.includes(nameKey)),
    members: Array.from(plan.members.values()).flat(),
    rules,
    notes: source.kind === 'latchkey' ? [] : notesOf(rules),
  }
}

/** Names the folders that the roles of AList close to everybody else. */
function notesOf(rules: readonly OldFolderRule[]): Item[] {
  const open = rules.filter(({ access }) => access !== 'none').map(({ path }) => path)
  const given = Array.from(new Set(open))
  const highest = given.filter((path) => !given.some((other) => isBelow(path, other)))
  const reason = `users in none of the groups that have rules there do not see it any more, to let them in: ${latchkey('folder-rule', 'set', 'PATH', 'read', '--group', 'user')}`
  return highest.map((name) => ({ kind: 'folder rule', name, reason }))
}

function planLatchkey(source: Source, people: People, plan: Planning): void {
  const names = new Map<number, string>()
  for (const row of source.groups) {
    const id = readId(row['id'])
    const nameKey = addGroup(row, 'note', plan)
    if (id !== undefined && nameKey !== undefined) names.set(id, nameKey)
  }
  for (const row of source.groupMembers) {
    const nameKey = names.get(readId(row['group_id']) ?? 0)
    if (nameKey !== undefined) addMember(nameKey, readId(row['user_id']), people, plan)
  }
  for (const row of source.folderRules) {
    const access = v.safeParse(v.picklist(['none', 'read', 'write']), row['access'])
    const whose = whoseOf(row, names, people)
    const rule = { path: row['path'], access: access.success ? access.output : 'none' } as const
    if (whose !== undefined) addRule(rule, whose, plan)
  }
}

/** @returns `undefined` for the rule of an admin, who has every right. */
function whoseOf(row: RawRow, names: ReadonlyMap<number, string>, people: People) {
  const builtIn = v.safeParse(v.picklist(['user', 'guest']), row['built_in'])
  if (builtIn.success) return { builtIn: builtIn.output, nameKey: null, userId: null }
  const groupId = readId(row['group_id'])
  if (groupId !== undefined) {
    const nameKey = names.get(groupId)
    // Without its group, the rule of nobody keeps the folder closed.
    return nameKey === undefined ? NOBODY : { builtIn: null, nameKey, userId: null }
  }
  const oldId = Math.abs(Number(row['user_id']))
  const owner = people.outcomes.get(oldId)
  if (owner === undefined || owner === 'refused')
    return { builtIn: null, nameKey: null, userId: -oldId || -1 }
  if (owner.role === ADMIN) return undefined
  return { builtIn: null, nameKey: null, userId: idOf(owner, people) }
}

const NOBODY = { builtIn: null, nameKey: null, userId: -1 }

/** Returns the id here of a user who is written, or here already. */
function idOf(owner: Exclude<Outcome, 'refused'>, { site }: People): number {
  if (isWritten(owner)) return owner.id
  const key = usernameKey(owner.username)
  const isIt = (user: SiteState['users'][number]) =>
    owner.role === GUEST ? user.role === GUEST : user.usernameKey === key
  return site.users.find(isIt)?.id ?? -1
}

/** The three roles that every AList has. */
const BUILT_IN_ROLES = ['admin', 'guest', 'general']

const scopesSchema = v.pipe(
  v.string(),
  v.parseJson(),
  v.array(v.object({ path: v.string(), permission: v.fallback(v.number(), 0) })),
)

/**
 * Makes a group and folder rules of each role of AList (since 3.46). Who has a role sees the
 * folders of the role alone, unless `/` is among them.
 */
function planRoles(source: Source, people: People, plan: Planning): void {
  const names = new Map<number, string>()
  for (const row of source.roles) {
    if (BUILT_IN_ROLES.includes(readText(row['name']))) continue
    const id = readId(row['id'])
    const nameKey = addGroup(row, 'description', plan)
    if (id === undefined || nameKey === undefined) continue
    names.set(id, nameKey)
    const json = readText(row['permission_scopes']) || readText(row['raw_permission'])
    const scopes = v.safeParse(scopesSchema, json === '' ? '[]' : json)
    const whose = { builtIn: null, nameKey, userId: null }
    const paths = scopes.success ? scopes.output : []
    for (const { path, permission } of paths)
      addRule(
        { path, access: isPermitted(permission, CHANGES_FILES) ? 'write' : 'read' },
        whose,
        plan,
      )
    const isWhole = paths.some(({ path }) => v.safeParse(basePathSchema, path).output === '/')
    if (!isWhole) addRule({ path: '/', access: 'none' }, whose, plan)
  }
  for (const row of source.users)
    for (const role of rolesOf(row['role'])) {
      const nameKey = names.get(role)
      if (nameKey !== undefined) addMember(nameKey, readId(row['id']), people, plan)
    }
}

/** Returns the roles of a user: since AList 3.46 a list, as JSON or as JSON text. */
function rolesOf(value: unknown): number[] {
  const list = typeof value === 'string' ? v.safeParse(rolesSchema, value).output : value
  return v.is(v.array(v.number()), list) ? list : []
}

const rolesSchema = v.pipe(v.string(), v.parseJson())

/** @returns The key of its name; `undefined` for a group that is refused. */
function addGroup(row: RawRow, noteColumn: string, plan: Planning): string | undefined {
  const given = readText(row['name'])
  try {
    const name = readGroupName(given)
    const nameKey = groupNameKey(name)
    const note = Array.from(readText(row[noteColumn]).replaceAll('\0', ''))
    if (!plan.groups.some((group) => group.nameKey === nameKey))
      plan.groups.push({ name, nameKey, note: note.slice(0, MAX_GROUP_NOTE_CHARACTERS).join('') })
    return nameKey
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    plan.refused.push({ kind: 'group', name: given, reason: error.message })
    return undefined
  }
}

function addMember(
  nameKey: string,
  oldId: number | undefined,
  { outcomes }: People,
  { members }: Planning,
): void {
  const owner = oldId === undefined ? undefined : outcomes.get(oldId)
  // A user who stays as here stays in the groups of here.
  if (!isWritten(owner) || owner.role === GUEST) return
  const others = members.get(owner.id) ?? []
  if (others.some((member) => member.nameKey === nameKey)) return
  if (others.length >= MAX_GROUPS_OF_USER) return
  const { id: userId, usernameKey: key } = owner
  members.set(userId, [...others, { nameKey, userId, usernameKey: key, before: others.length }])
}

function addRule(
  given: { path: unknown; access: OldFolderRule['access'] },
  whose: Pick<OldFolderRule, 'builtIn' | 'nameKey' | 'userId'>,
  plan: Planning,
): void {
  const path = v.safeParse(basePathSchema, readText(given.path) || undefined)
  if (!path.success || path.output.length > MAX_RULE_PATH_CHARACTERS) {
    const reason = "path must be a folder's full path"
    plan.refused.push({ kind: 'folder rule', name: readText(given.path), reason })
    return
  }
  const { builtIn, nameKey, userId } = whose
  const named = { path: path.output, builtIn, nameKey, userId }
  if (plan.rules.some((rule) => isSameRule(rule, named))) return
  plan.rules.push({
    ...named,
    access: given.access,
    before: plan.rules.length,
    folders: new Set([...plan.rules.map((rule) => rule.path), path.output]).size,
  })
}
