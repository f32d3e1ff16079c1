import { folderRules } from '../../../schema/tables.ts'
import type { ReaderDeps } from '../../core/access/act-as.ts'
import type { Operator } from '../../core/access/operators.ts'
import { act, change, type ChangeDeps, of, read } from '../../core/access/subject.ts'
import {
  BUILT_IN_GROUPS,
  groupNameKey,
  MAX_FOLDER_RULES,
  MAX_RULE_FOLDERS,
  selectGroupsNamed,
} from '../../core/accounts/groups.ts'
import type { Account } from '../../core/accounts/accounts.ts'
import { ADMIN } from '../../core/accounts/roles.ts'
import { selectUser } from '../../core/accounts/store.ts'
import { insertEvent, insertEvents } from '../../core/audit/events.ts'
import type { FileServer } from '../../core/base/file-server.ts'
import { windowOf } from '../../core/base/paging.ts'
import { Refusal } from '../../core/base/refusals.ts'
import type { Deps } from '../../core/deps.ts'
import type { Access } from './decision.ts'
import { readAccess, readFolder } from './fields.ts'
import { refuseWhileMoving, selectFolderMove } from './folder-move.ts'
import {
  countRules,
  deleteRule,
  insertRule,
  isChangeable,
  isOtherAccess,
  type ListedRule,
  mayMakeRule,
  type RuleFilter,
  selectListedRules,
  selectNumbers,
  selectRule,
  selectSameRule,
  shownRule,
  updateRule,
  type Whose,
} from './rule-store.ts'
import { refuseFile } from './there.ts'
import { findWarnings, type FolderWarning } from './warnings.ts'
import { forgetGone, type WriterDeps, writeFirst, writeInTime } from './write-in-time.ts'
import { refuseForeignLists } from './writer.ts'

export type RuleDeps = ChangeDeps & WriterDeps

/** A rule that a request asks for. */
export interface AskedRule {
  path?: string | null | undefined
  /** The name of a group, `user` or `guest`. */
  group?: string | null | undefined
  uid?: number | null | undefined
  access?: string | null | undefined
}

/**
 * Returns the file server, whose folders the rules are for.
 *
 * @throws {Refusal} `noFileServer`, for an operator who might write rules; else `notAdmin`,
 *   `confirmationNeeded`.
 */
export async function needFileServer(
  deps: ChangeDeps & Pick<Deps, 'fileServer'>,
  operator: Operator,
): Promise<FileServer> {
  const files = deps.fileServer()
  if (files !== undefined) return files
  await act(deps, of(operator), { fresh: true }, () => ({}))
  throw new Refusal('noFileServer')
}

/**
 * Lists rules by path.
 *
 * @throws {Refusal} `folderInvalid`, `notAdmin`, `groupNotFound`.
 */
export async function listRules(
  deps: ReaderDeps,
  operator: Operator,
  { path, ...others }: RuleFilter,
  page: number,
  perPage: number,
): Promise<{ rules: ListedRule[]; total: number }> {
  const { group } = others
  const filter = { ...others, path: path === undefined ? undefined : readFolder(path) }
  const { rules, counted, named } = await read(deps, of(operator), {
    rules: selectListedRules(deps.db, filter, windowOf(page, perPage)),
    counted: countRules(deps.db, filter),
    named: group === undefined ? undefined : selectGroupsNamed(deps.db, [group]),
  })
  if (named?.length === 0 && builtInOf(group ?? '') === undefined)
    throw new Refusal('groupNotFound')
  return { rules, total: counted[0]?.total ?? 0 }
}

function builtInOf(group: string) {
  return BUILT_IN_GROUPS.find((name) => name === groupNameKey(group))
}

/**
 * Creates a rule, and writes its folders to the file server.
 *
 * @throws {Refusal} Those of `readFolder` and `readAccess`; `noFileServer`, `ruleNeedsWhose`,
 *   `adminsHaveEveryRight`; `notAdmin`, `confirmationNeeded`, `groupNotFound`, `userNotFound`,
 *   `folderRuleTaken`, `tooManyFolderRules`, `tooManyRuleFolders`, `folderHasOwnUsers`,
 *   `folderIsFile`.
 */
export async function createRule(
  deps: RuleDeps,
  operator: Operator,
  asked: AskedRule,
): Promise<{ id: number; waiting: number; warnings: FolderWarning[] }> {
  const { db } = deps
  const path = readFolder(asked.path)
  const named = readWhose(asked)
  const access = readAccess(asked.access)
  const files = await needFileServer(deps, operator)
  const { whose, name } = await findWhose(deps, operator, path, named)
  const [, isThere] = await Promise.all([
    refuseForeignLists(deps, files, path),
    refuseFile(deps, files, path),
  ])
  const { created, same, numbers, moving } = await change(
    deps,
    of(operator),
    { kind: 'folder_rule_created', detail: `${path}: ${name} ${access}`, fresh: true },
    ({ now, by, event }) => ({
      same: selectSameRule(db, path, whose),
      numbers: selectNumbers(db, path),
      moving: selectFolderMove(db, now),
      event: insertEvent(db, by, event, mayMakeRule(db, path, whose, now)),
      created: insertRule(db, by, { ...whose, path, access, createdAt: now }),
    }),
  )
  const [rule] = created
  if (rule === undefined) {
    refuseWhileMoving(moving)
    refuseUnmade(same.length > 0, numbers[0])
    // The group or the user was deleted, or the user became an admin, since it was found.
    throw new Refusal(whose.userId === null ? 'groupNotFound' : 'userNotFound')
  }
  const { waiting, underWay, warnings } = await writeFirst(deps, files)
  if (underWay > 0) warnings.push('requests_under_way')
  await forgetGone(deps, files)
  // Since it was found there, a request from before may have taken it elsewhere.
  const mayBeMissing = isThere !== undefined
  return {
    id: rule.id,
    waiting,
    warnings: await findWarnings(deps, files, path, mayBeMissing, warnings),
  }
}

type Named = { group: string } | { uid: number }

/** @throws {Refusal} `ruleNeedsWhose`, `adminsHaveEveryRight`. */
function readWhose({ group, uid }: AskedRule): Named {
  const isGroup = typeof group === 'string' && group !== ''
  if (isGroup === (typeof uid === 'number')) throw new Refusal('ruleNeedsWhose')
  if (typeof uid === 'number') return { uid }
  const name = group ?? ''
  if (builtInOf(name) === 'admin') throw new Refusal('adminsHaveEveryRight')
  return { group: name }
}

/**
 * Finds whom a rule is for, after the operator was checked.
 *
 * @returns With the name of it.
 * @throws {Refusal} `notAdmin`, `confirmationNeeded`, `groupNotFound`, `userNotFound`,
 *   `adminsHaveEveryRight`, `folderRuleTaken`, `tooManyFolderRules`, `tooManyRuleFolders`.
 */
async function findWhose(
  deps: RuleDeps,
  operator: Operator,
  path: string,
  named: Named,
): Promise<{ whose: Whose; name: string }> {
  const { db } = deps
  const [group, uid] = 'group' in named ? [named.group, undefined] : [undefined, named.uid]
  const { groups, users, numbers } = await act(deps, of(operator), { fresh: true }, () => ({
    groups: group === undefined ? undefined : selectGroupsNamed(db, [group]),
    users: uid === undefined ? undefined : selectUser(db, uid),
    numbers: selectNumbers(db, path),
  }))
  const found = whoseOf(named, groups?.[0], users?.[0])
  refuseUnmade(false, numbers[0])
  return found
}

/** @throws {Refusal} `groupNotFound`, `userNotFound`, `adminsHaveEveryRight`. */
function whoseOf(
  named: Named,
  group: { id: number; name: string } | undefined,
  user: Account | undefined,
): { whose: Whose; name: string } {
  if ('uid' in named) {
    if (user === undefined) throw new Refusal('userNotFound')
    if (user.role === ADMIN) throw new Refusal('adminsHaveEveryRight')
    return { whose: { builtIn: null, groupId: null, userId: user.id }, name: user.username }
  }
  const builtIn = builtInOf(named.group)
  if (builtIn === 'user' || builtIn === 'guest')
    return { whose: { builtIn, groupId: null, userId: null }, name: builtIn }
  if (group === undefined) throw new Refusal('groupNotFound')
  return { whose: { builtIn: null, groupId: group.id, userId: null }, name: group.name }
}

/** @throws {Refusal} `folderRuleTaken`, `tooManyFolderRules`, `tooManyRuleFolders`. */
function refuseUnmade(
  isTaken: boolean,
  { rules, folders, here } = { rules: 0, folders: 0, here: 0 },
): void {
  if (isTaken) throw new Refusal('folderRuleTaken')
  if (rules >= MAX_FOLDER_RULES)
    throw new Refusal('tooManyFolderRules', { values: { limit: MAX_FOLDER_RULES } })
  if (here === 0 && folders >= MAX_RULE_FOLDERS)
    throw new Refusal('tooManyRuleFolders', { values: { limit: MAX_RULE_FOLDERS } })
}

/**
 * @returns The number of folders that wait to be written.
 * @throws {Refusal} `accessInvalid`, `noFileServer`, `notAdmin`, `confirmationNeeded`,
 *   `folderRuleNotFound`.
 */
export async function changeRule(
  deps: RuleDeps,
  operator: Operator,
  id: number,
  asked: string | null | undefined,
): Promise<number> {
  const { db } = deps
  const access: Access = readAccess(asked)
  const files = await needFileServer(deps, operator)
  const { found, moving } = await change(
    deps,
    of(operator),
    { kind: 'folder_rule_changed', fresh: true },
    ({ now, by, event }) => ({
      found: selectRule(db, id),
      moving: selectFolderMove(db, now),
      event: insertEvents(
        db,
        by,
        event,
        { detail: shownRule(access) },
        { from: folderRules, where: isOtherAccess(db, id, access, now) },
      ),
      updated: updateRule(db, by, id, access, now),
    }),
  )
  if (found.length === 0) throw new Refusal('folderRuleNotFound')
  refuseWhileMoving(moving)
  await forgetGone(deps, files)
  return writeInTime(deps)
}

/**
 * @returns The number of folders that wait to be written.
 * @throws {Refusal} `noFileServer`, `notAdmin`, `confirmationNeeded`, `folderRuleNotFound`.
 */
export async function removeRule(deps: RuleDeps, operator: Operator, id: number): Promise<number> {
  const { db } = deps
  const files = await needFileServer(deps, operator)
  const { deleted, moving } = await change(
    deps,
    of(operator),
    { kind: 'folder_rule_deleted', fresh: true },
    ({ now, by, event }) => ({
      moving: selectFolderMove(db, now),
      event: insertEvents(
        db,
        by,
        event,
        { detail: shownRule() },
        { from: folderRules, where: isChangeable(db, id, now) },
      ),
      deleted: deleteRule(db, by, id, now),
    }),
  )
  if (deleted.length === 0) {
    refuseWhileMoving(moving)
    throw new Refusal('folderRuleNotFound')
  }
  await forgetGone(deps, files)
  return writeInTime(deps)
}
