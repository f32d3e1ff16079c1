import * as v from 'valibot'
import { ADMIN, GUEST } from '../../core/accounts/roles.ts'
import { usernameKey } from '../../core/accounts/username.ts'
import { isWritten, type Outcome } from './accounts.ts'
import { readId, readText } from './columns.ts'
import type { SiteState } from './site-state.ts'
import type { RawRow, Source } from './source.ts'
import {
  addGroup,
  addMember,
  addRule,
  type GivenRule,
  NOBODY,
  type People,
  type SourceGroups,
  type Whose,
} from './source-groups.ts'

/** Takes over the groups, their members and the folder rules of another Latchkey, by name. */
export function planLatchkey(source: Source, people: People, plan: SourceGroups): void {
  const names = new Map<number, string>()
  for (const row of source.groups) {
    const id = readId(row['id'])
    const nameKey = addGroup(row, 'note', people, plan)
    if (id !== undefined && nameKey !== undefined) names.set(id, nameKey)
  }
  for (const row of source.groupMembers) {
    const nameKey = names.get(readId(row['group_id']) ?? 0)
    if (nameKey !== undefined) addMember(nameKey, readId(row['user_id']), people, plan)
  }
  const ofGroups: RawRow[] = []
  for (const row of source.folderRules) {
    const groupId = readId(row['group_id'])
    if (groupId !== undefined) ofGroups.push(row)
    if (groupId === undefined || names.has(groupId))
      addRule(ruleOf(row), whoseOf(row, names.get(groupId ?? 0), people, plan), plan)
  }
  // A rule of a member's own, which decides, stands before those that this adds.
  for (const row of ofGroups)
    addClosing(row, names.get(readId(row['group_id']) ?? 0), source, people, plan)
}

function ruleOf(row: RawRow): Pick<GivenRule, 'access'> & { path: unknown } {
  const access = v.safeParse(v.picklist(['none', 'read', 'write']), row['access'])
  return { path: row['path'], access: access.success ? access.output : 'none' }
}

/**
 * Keeps a folder closed to others, and to members of a group, where the group does not come over or
 * the members are not in it here.
 *
 * @param nameKey Of the group; `undefined` for one that does not come over.
 */
function addClosing(
  row: RawRow,
  nameKey: string | undefined,
  source: Source,
  people: People,
  plan: SourceGroups,
): void {
  const rule = ruleOf(row)
  if (rule.access !== 'none') {
    if (nameKey === undefined) addRule(rule, NOBODY, plan)
    return
  }
  const isOfGroup = (member: RawRow) => readId(member['group_id']) === readId(row['group_id'])
  for (const { user_id: oldId } of source.groupMembers.filter(isOfGroup)) {
    const owner = people.outcomes.get(readId(oldId) ?? 0)
    if (owner === undefined || owner === 'refused') continue
    const userId = idOf(owner, people)
    if (userId === undefined) continue
    const isHere = people.site.groupMembers.some(
      (each) => each.userId === userId && each.nameKey === nameKey,
    )
    const joins = nameKey !== undefined && (isWritten(owner) || isHere)
    if (!joins) addRule(rule, { builtIn: null, nameKey: null, userId }, plan)
  }
}

function whoseOf(
  row: RawRow,
  nameKey: string | undefined,
  people: People,
  plan: SourceGroups,
): Whose {
  const builtIn = v.safeParse(v.picklist(['user', 'guest']), row['built_in'])
  if (builtIn.success) return { builtIn: builtIn.output, nameKey: null, userId: null }
  if (nameKey !== undefined) return { builtIn: null, nameKey, userId: null }
  const oldId = Math.abs(Number(row['user_id']))
  const nobody = { ...NOBODY, userId: -oldId || -1 }
  const owner = people.outcomes.get(oldId)
  if (owner === undefined || owner === 'refused') return nobody
  const id = idOf(owner, people)
  if (id !== undefined) return { builtIn: null, nameKey: null, userId: id }
  const reason = `"${owner.username}" is an administrator and has every right: the folder stays closed to others`
  plan.notes.push({ kind: 'folder rule', name: readText(row['path']), reason })
  return nobody
}

/** @returns The id here of a user who is written, or here already; `undefined` of an admin. */
function idOf(owner: Exclude<Outcome, 'refused'>, { site }: People): number | undefined {
  if (isWritten(owner)) return owner.role === ADMIN ? undefined : owner.id
  const key = usernameKey(owner.username)
  const isIt = (user: SiteState['users'][number]) =>
    owner.role === GUEST ? user.role === GUEST : user.usernameKey === key
  const here = site.users.find(isIt)
  return here === undefined || here.role === ADMIN ? undefined : here.id
}
