import * as v from 'valibot'
import { ADMIN, CHANGES_FILES, GENERAL, GUEST, isPermitted } from '../../core/accounts/roles.ts'
import { isBelow } from '../../core/base/clean-folder.ts'
import { latchkey } from '../kit/printed-command.ts'
import { isWritten } from './accounts.ts'
import { readId, readText } from './columns.ts'
import type { Item, RawRow, Source } from './source.ts'
import {
  addGroup,
  addMember,
  addRule,
  type GivenRule,
  type People,
  readRulePath,
  type SourceGroups,
  type Whose,
} from './source-groups.ts'
import { GENERAL_OF_ALIST, readRoles, roleOf } from './users.ts'

/** A row of the source, and the ids of its roles. */
interface SourceUser {
  row: RawRow
  roles: number[]
}

/** A path of a role, and whether one may change files there. */
type Scope = Pick<GivenRule, 'path' | 'access'>

/**
 * Makes groups and folder rules of the roles of AList (since 3.46). There, a user sees what the
 * paths of the own roles name, and nothing else (server/common/role_perm.go). So `user` and `guest`
 * have `none` in `/`, each role becomes a group, and its paths become rules. The role `general`
 * becomes the group `user` when every general account has it. The guest is in no group: the paths
 * of all its roles become rules of `guest`.
 */
export function planRoles(source: Source, people: People, plan: SourceGroups): void {
  const users = source.users.map((row) => ({ row, roles: readRoles(row['role']) }))
  if (source.roles.length === 0 && !users.some(({ roles }) => roles.some(isOfAList))) return
  const general = users.filter(({ roles }) => roleOf(roles) === GENERAL)
  const isGeneralForAll = general.every(({ roles }) => roles.includes(GENERAL_OF_ALIST))
  const scopes = new Map(source.roles.map((row) => [readId(row['id']), readScopes(row, plan)]))
  const scopesOf = (roles: readonly number[]) => roles.flatMap((role) => scopes.get(role) ?? [])
  const ofUser = isGeneralForAll ? scopesOf([GENERAL_OF_ALIST]) : []
  const guest = users.find(({ roles }) => roleOf(roles) === GUEST)?.roles ?? []
  const names = new Map<number, string>()
  for (const row of source.roles) {
    const id = readId(row['id'])
    if (id === undefined || id === GUEST || id === ADMIN) continue
    if (isGeneralForAll && id === GENERAL_OF_ALIST) continue
    const nameKey = addGroup(row, 'description', people, plan)
    if (nameKey === undefined) continue
    names.set(id, nameKey)
    addRules(scopesOf([id]), ofUser, { builtIn: null, nameKey, userId: null }, plan)
  }
  for (const [builtIn, paths] of [
    ['user', ofUser],
    ['guest', scopesOf(guest)],
  ] as const) {
    const whose = { builtIn, nameKey: null, userId: null }
    addRules(paths, [], whose, plan)
    // With a path `/` there is such a rule, and the first one stays.
    addRule({ path: '/', access: 'none' }, whose, plan)
  }
  for (const user of general) {
    const own = user.roles.flatMap((role) => names.get(role) ?? [])
    for (const nameKey of own) addMember(nameKey, readId(user.row['id']), people, plan)
    noteRoles(user, own.length > 0 || isGeneralForAll, people, plan)
  }
  if (isEverythingOpen(users, plan)) plan.rules.length = 0
  else noteLimits(plan)
}

/** Tells whether only AList since 3.46 has this role, which says nothing without its paths. */
function isOfAList(role: number): boolean {
  return role >= GENERAL_OF_ALIST
}

const scopesSchema = v.pipe(
  v.string(),
  v.parseJson(),
  v.array(v.object({ path: v.string(), permission: v.fallback(v.number(), 0) })),
)

/** Reads the paths of a role. What can't be read gives nothing, and is refused by name. */
function readScopes(row: RawRow, { refused }: SourceGroups): Scope[] {
  const json = readText(row['permission_scopes']) || readText(row['raw_permission'])
  const scopes = v.safeParse(scopesSchema, json === '' ? '[]' : json)
  const refuse = (kind: Item['kind'], name: string, reason: string) => {
    refused.push({ kind, name, reason })
    return []
  }
  if (!scopes.success)
    return refuse('group', readText(row['name']), 'the paths of the role cannot be read')
  return scopes.output.flatMap(({ path: given, permission }) => {
    const path = readRulePath(given)
    if (path === undefined) return refuse('folder rule', given, "path must be a folder's full path")
    return { path, access: isPermitted(permission, CHANGES_FILES) ? 'write' : 'read' } as const
  })
}

/**
 * Adds a rule for each path of a role.
 *
 * @param others The paths that all users of the role have besides. A right holds below its path,
 *   too.
 */
function addRules(
  scopes: readonly Scope[],
  others: readonly Scope[],
  whose: Whose,
  plan: SourceGroups,
) {
  const writable = [...scopes, ...others].filter(({ access }) => access === 'write')
  for (const { path } of scopes) {
    const mayWrite = writable.some((scope) => scope.path === path || isBelow(path, scope.path))
    addRule({ path, access: mayWrite ? 'write' : 'read' }, whose, plan)
  }
}

function noteRoles(user: SourceUser, isIn: boolean, { outcomes }: People, plan: SourceGroups) {
  const id = readId(user.row['id'])
  const owner = id === undefined ? undefined : outcomes.get(id)
  if (!isWritten(owner)) return
  const name = owner.username
  const note = (reason: string) =>
    plan.notes.push({ kind: 'user', ...(id !== undefined && { id }), name, reason })
  if (!isIn) note(IN_NO_GROUP)
  else if (user.roles.some((role) => role > GENERAL_OF_ALIST)) note(IN_GROUPS)
}

const IN_GROUPS = 'had a role of AList: is in the group of it, with the permissions of the account'
const IN_NO_GROUP = `has no role of AList that comes over: sees no folder, to give it some: ${latchkey('group', 'add', 'GROUP', 'USER')}`

/** Holds for rules that say no more than that users and visitors see everything, as without rules. */
function isEverythingOpen(users: readonly SourceUser[], { rules }: SourceGroups): boolean {
  const changesFiles = (role: number) =>
    users.some(
      ({ row, roles }) =>
        roleOf(roles) === role && isPermitted(Number(row['permission']), CHANGES_FILES),
    )
  return rules.every(({ path, builtIn, access }) => {
    if (path !== '/' || builtIn === null || access === 'none') return false
    return access === 'write' || !changesFiles(builtIn === 'guest' ? GUEST : GENERAL)
  })
}

/** Says what users may do outside of the folders of their groups. */
function noteLimits({ rules, notes }: SourceGroups): void {
  const rule = rules.find(({ path, builtIn }) => path === '/' && builtIn === 'user')
  const note = (reason: string) => notes.push({ kind: 'folder rule', name: '/', reason })
  if (rule?.access === 'none') note(`${SEE_NO_OTHER} ${LET_IN}`)
  if (rule?.access === 'read') note(CHANGE_NO_OTHER)
}

const SEE_NO_OTHER =
  'users see only the folders that rules give them or their groups, as at the source, also those who are here already; to let all in:'
const LET_IN = latchkey('folder-rule', 'set', 'PATH', 'read', '--group', 'user')
const CHANGE_NO_OTHER =
  'users change files only in the folders of their groups, as at the source, also those who are here already'
