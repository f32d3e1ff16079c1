import * as v from 'valibot'
import { basePathSchema } from '../../core/accounts/fields.ts'
import { readGroupName } from '../../core/accounts/group-names.ts'
import {
  groupNameKey,
  isOfNobody,
  MAX_GROUP_NOTE_CHARACTERS,
  MAX_GROUPS_OF_USER,
  MAX_RULE_PATH_CHARACTERS,
} from '../../core/accounts/groups.ts'
import { latinLook } from '../../core/accounts/look-alikes.ts'
import { GUEST } from '../../core/accounts/roles.ts'
import { Refusal } from '../../core/base/refusals.ts'
import { isWritten, type Outcome } from './accounts.ts'
import { readText } from './columns.ts'
import type { NamedRule, SiteState } from './site-state.ts'
import type { Item, RawRow } from './source.ts'

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

/** Whose rights a rule gives. One of the members is not null. */
export type Whose = Pick<NamedRule, 'builtIn' | 'nameKey' | 'userId'>

/** A folder rule of the source. */
export interface GivenRule extends NamedRule {
  access: 'none' | 'read' | 'write'
}

/** What the source has, as it can be here. */
export interface SourceGroups {
  groups: OldGroup[]
  /** Members by the id of the user. */
  members: Map<number, OldMember[]>
  rules: GivenRule[]
  refused: Item[]
  notes: Item[]
}

/** The users of the source, as the import decides about them. */
export interface People {
  outcomes: Map<number, Outcome>
  site: SiteState
}

/** A rule of nobody keeps a folder closed to all whom no other rule names. */
export const NOBODY: Whose = { builtIn: null, nameKey: null, userId: -1 }

export function isSameRule(one: NamedRule, other: NamedRule): boolean {
  return (
    one.path === other.path &&
    one.builtIn === other.builtIn &&
    one.nameKey === other.nameKey &&
    one.userId === other.userId
  )
}

/** @returns The key of its name; `undefined` for a group that is refused. */
export function addGroup(
  row: RawRow,
  noteColumn: string,
  { site }: People,
  plan: SourceGroups,
): string | undefined {
  const given = readText(row['name'])
  const refuse = (reason: string) => {
    plan.refused.push({ kind: 'group', name: given, reason })
    return undefined
  }
  try {
    const name = readGroupName(given)
    const nameKey = groupNameKey(name)
    const look = latinLook(nameKey)
    const twin = plan.groups.find((group) => latinLook(group.nameKey) === look)
    if (twin !== undefined) return refuse(`its name is too similar to "${twin.name}"`)
    const rival = site.groups.find((key) => key !== nameKey && latinLook(key) === look)
    if (rival !== undefined) return refuse(`its name is too similar to "${rival}", which is here`)
    const note = Array.from(readText(row[noteColumn]).replaceAll('\0', ''))
    plan.groups.push({ name, nameKey, note: note.slice(0, MAX_GROUP_NOTE_CHARACTERS).join('') })
    return nameKey
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return refuse(error.message)
  }
}

export function addMember(
  nameKey: string,
  oldId: number | undefined,
  { outcomes }: People,
  { members, refused }: SourceGroups,
): void {
  const owner = oldId === undefined ? undefined : outcomes.get(oldId)
  // A user who stays as here stays in the groups of here.
  if (!isWritten(owner) || owner.role === GUEST) return
  const others = members.get(owner.id) ?? []
  if (others.some((member) => member.nameKey === nameKey)) return
  if (others.length >= MAX_GROUPS_OF_USER) {
    refused.push({ kind: 'group', name: nameKey, reason: tooManyGroups(owner.username) })
    return
  }
  const { id: userId, usernameKey: key } = owner
  members.set(userId, [...others, { nameKey, userId, usernameKey: key, before: others.length }])
}

export function tooManyGroups(username: string): string {
  return `"${username}" is not in it: a user is in at most ${MAX_GROUPS_OF_USER} groups`
}

/** Adds a rule. Of two for the same folder and user or group, the first stays. */
export function addRule(
  given: { path: unknown; access: GivenRule['access'] },
  { builtIn, nameKey, userId }: Whose,
  plan: SourceGroups,
): void {
  const path = readRulePath(given.path)
  if (path === undefined) {
    const reason = "path must be a folder's full path"
    plan.refused.push({ kind: 'folder rule', name: readText(given.path), reason })
    return
  }
  const rule = { path, builtIn, nameKey, userId, access: given.access }
  const other = plan.rules.find((each) => isSameRule(each, rule))
  if (other === undefined) plan.rules.push(rule)
  // Of nobody, what counts is that it closes the folder.
  else if (isOfNobody(userId) && other.access === 'none') other.access = rule.access
}

/** @returns `undefined` for what no rule can have as its path. */
export function readRulePath(given: unknown): string | undefined {
  const path = v.safeParse(basePathSchema, readText(given) || undefined)
  return path.success && path.output.length <= MAX_RULE_PATH_CHARACTERS ? path.output : undefined
}
