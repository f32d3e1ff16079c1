import { sql } from 'drizzle-orm'
import * as v from 'valibot'
import { folderRules } from '../../../schema/tables.ts'
import type { Operator } from '../../core/access/operators.ts'
import { act, change, of } from '../../core/access/subject.ts'
import { insertEvent } from '../../core/audit/events.ts'
import type { FileServer } from '../../core/base/file-server.ts'
import { Refusal } from '../../core/base/refusals.ts'
import { logError } from '../../core/database/log.ts'
import { type Authority, writing } from '../../core/database/statements.ts'
import type { Database } from '../../core/deps.ts'
import { callAsAdmin, callOrigin } from '../files/origin.ts'
import { isAtOrBelow, pathAndParents } from './decision.ts'
import { readFolder } from './fields.ts'
import { needFileServer, type RuleDeps } from './folder-rules.ts'
import { isOfVersion } from './meta-store.ts'
import { listForeignIn } from './metas.ts'
import { joinNames, nameOf, parentOf } from './openlist-paths.ts'
import { readRights } from './plan.ts'
import { MAX_RULE_FOLDERS, MAX_RULE_PATH_CHARACTERS } from '../../core/accounts/groups.ts'
import { isLocal, listStorages } from './second-paths.ts'
import { itemAt, kindAt, listAt, seesAll } from './there.ts'
import { writeInTime } from './write-in-time.ts'
import { writeFolders } from './writer.ts'

/**
 * Moves a folder at the file server, with its rules and those of the folders in it: the metas of
 * the new place are written before, and those of the old place end after it.
 *
 * @returns The number of folders that wait to be written.
 * @throws {Refusal} Those of `readFolder`; `noFileServer`, `notAdmin`, `confirmationNeeded`,
 *   `folderRuleNotFound` when no rule is in it, `folderInvalid` for a folder in itself,
 *   `folderRuleTaken` when rules are at the new place, `folderHasOwnUsers`, `folderNotMoved`,
 *   `folderMovedInPart`, `filesUnavailable`, `filesBroken`.
 */
export async function moveFolder(
  deps: RuleDeps,
  operator: Operator,
  asked: { path?: string | null | undefined; to?: string | null | undefined },
): Promise<number> {
  const path = readFolder(asked.path)
  const to = readFolder(asked.to, 'folderTargetMissing')
  const files = await needFileServer(deps, operator)
  if (path === '/') throw new Refusal('folderInvalid', { field: 'path' })
  if (isAtOrBelow(to, path) || isAtOrBelow(path, to))
    throw new Refusal('folderInvalid', { field: 'to' })
  await act(deps, of(operator), { fresh: true }, () => ({}))
  // OpenList moves a folder, or renames it. What stands between has the rules, too.
  const between = joinNames(parentOf(to), nameOf(path))
  const isOneStep = parentOf(path) === parentOf(to) || between === to
  let from = path
  for (const target of isOneStep ? [to] : [between, to]) {
    await moveOnce(deps, files, operator, from, target).catch((error: unknown) => {
      const isHalf = error instanceof Refusal && error.refusal === 'folderNotMoved'
      if (from === path || !isHalf) throw error
      throw new Refusal('folderMovedInPart', { detail: error.detail, values: { path: from } })
    })
    from = target
  }
  return writeInTime(deps)
}

async function moveOnce(
  deps: RuleDeps,
  files: FileServer,
  operator: Operator,
  path: string,
  to: string,
): Promise<void> {
  const { folders, ...rights } = await readRights(deps, files)
  const moved = folders.filter((folder) => isAtOrBelow(folder, path))
  if (moved.length === 0) throw new Refusal('folderRuleNotFound')
  if (folders.some((folder) => isAtOrBelow(folder, to))) throw new Refusal('folderRuleTaken')
  if (moved.some((folder) => to.length + folder.length - path.length > MAX_RULE_PATH_CHARACTERS))
    throw new Refusal('folderInvalid', { field: 'to' })
  const [foreign] = listForeignIn(to, { ...rights, folders })
  if (foreign !== undefined)
    throw new Refusal('folderHasOwnUsers', { values: { path: foreign.path } })
  await refuseUnmovable(deps, files, path, to)
  const { copied } = await change(
    deps,
    of(operator),
    { kind: 'folder_rule_changed', detail: `${path} → ${to}`, fresh: true },
    ({ now, by, event }) => {
      const where = isOfVersion(rights.version)
      return {
        event: insertEvent(deps.db, by, event, where),
        copied: copyRules(deps.db, by, { path, to, now, version: rights.version }),
      }
    },
  )
  if (copied.length === 0) throw new Refusal('folderNotMoved', { detail: 'the rules have changed' })
  let isForgotten: boolean
  try {
    await writeAll(deps, files, to)
    const isRenewed = await renewLists(deps, files, path)
    isForgotten = (await forgetInSearch(deps, files, path)) && isRenewed
    await moveThere(deps, files, path, to)
    // It has put the folder itself back, which is not there any more.
    isForgotten &&= await forgetInSearch(deps, files, path)
  } catch (error) {
    // The new rules go only where the folder is known not to have gone.
    const isHere = await isFolder(deps, files, path).catch(() => false)
    const isThere = await isFolder(deps, files, to).catch(() => true)
    if (isHere && !isThere) await endRules(deps, operator, to)
    else logError(error, { during: 'the move of a folder' })
    await writeInTime(deps)
    throw error
  }
  if (isForgotten) await endRules(deps, operator, path)
}

/** Copies the rules of a folder, and of those in it, to another place. */
function copyRules(
  db: Database,
  by: Authority,
  { path, to, now, version }: { path: string; to: string; now: number; version: string },
) {
  const { builtIn, groupId, userId, access } = folderRules
  const moved = sql`${to} || substr(${folderRules.path}, ${path.length + 1})`
  return writing(db, by)
    .insert(
      folderRules,
      { path: moved, builtIn, groupId, userId, access, createdAt: now },
      { from: folderRules, where: sql`${isIn(path)} and ${isOfVersion(version)}` },
    )
    .returning({ id: folderRules.id })
}

function isIn(path: string) {
  const { path: column } = folderRules
  return sql`(${column} = ${path} or substr(${column}, 1, ${path.length + 1}) = ${`${path}/`})`
}

async function endRules(deps: RuleDeps, operator: Operator, path: string): Promise<void> {
  await act(deps, of(operator), { fresh: true }, ({ by }) => ({
    ended: writing(deps.db, by).delete(folderRules, isIn(path)),
  }))
}

/** @throws {Refusal} `filesUnavailable` when the metas of the new place can't be written. */
async function writeAll(deps: RuleDeps, files: FileServer, to: string): Promise<void> {
  for (let rounds = 0; rounds <= MAX_RULE_FOLDERS; rounds++) {
    const { waiting, written } = await writeFolders(deps, files)
    if (waiting === 0) return
    if (written === 0) break
  }
  const { writes, blocked } = await readRights(deps, files)
  if ([...writes, ...blocked].some(({ path }) => isAtOrBelow(path, to)))
    throw new Refusal('folderNotMoved', { detail: 'the metas of the new place are not written' })
}

/** More folders are not listed for a move. */
const MAX_FOLDERS = 500

/**
 * Lists a folder, and all folders in it, anew. When it is moved, OpenList forgets the lists that it
 * keeps from the folder downwards, by these lists themselves: below one that it does not keep, the
 * others would stay at the old path, where no rule is then.
 *
 * @returns Whether it has listed all. A storage on the disk keeps no lists.
 * @throws {Refusal} `filesUnavailable`.
 */
async function renewLists(deps: RuleDeps, files: FileServer, path: string): Promise<boolean> {
  if (isLocal(await listStorages(deps, files), path)) return true
  const folders = [path]
  for (const folder of folders) {
    const listed = folders.length <= MAX_FOLDERS && (await listAt(deps, files, folder, true))
    if (!listed) return false
    for (const { name, is_dir: isSubfolder } of listed)
      if (isSubfolder) folders.push(joinNames(folder, name))
  }
  return true
}

/** The refusal of an OpenList without an index. */
const NO_INDEX = 'search not available'
/** The refusal of one that is changed at the moment: what was asked for before takes about a second. */
const BUSY_INDEX = 'index is running'
const BUSY_MILLISECONDS = 500
const MAX_TRIES = 10

const storagesSchema = v.object({
  content: v.nullable(
    v.array(v.object({ mount_path: v.string(), disabled: v.optional(v.boolean(), false) })),
  ),
})
const movedSchema = v.nullish(
  v.looseObject({ tasks: v.optional(v.pipe(v.array(v.unknown()), v.maxLength(0))) }),
)

/** @throws {Refusal} `folderNotMoved` for what OpenList would not move at once, or not at all. */
async function refuseUnmovable(deps: RuleDeps, files: FileServer, path: string, to: string) {
  if (!(await seesAll(deps, files)))
    throw notMoved('the admin of OpenList has a base path, or may not act')
  const stored = await callAsAdmin(deps, files, '/api/admin/storage/list')
  const mounts = v.is(storagesSchema, stored.data) ? (stored.data.content ?? []) : []
  const paths = mounts.filter(({ disabled }) => !disabled).map(({ mount_path: mount }) => mount)
  const mountOf = (each: string) => pathAndParents(each).find((parent) => paths.includes(parent))
  // Between two storages, it copies the files later, and one by one.
  if (paths.some((mount) => isAtOrBelow(mount, path)) || mountOf(path) !== mountOf(parentOf(to)))
    throw notMoved('they are in two storages')
  if (!(await isFolder(deps, files, path))) throw notMoved('there is no such folder')
  if (await exists(deps, files, to)) throw notMoved('something is there')
}

function notMoved(detail: string): Refusal {
  return new Refusal('folderNotMoved', { detail })
}

/**
 * Takes what is in a folder out of OpenList's index: without the old metas, nothing hides it from a
 * search.
 *
 * @returns Whether no search finds it: an index that is just being built, or that can't be changed
 *   (bleve), keeps it.
 * @throws {Refusal} `filesUnavailable`, `filesBroken`.
 */
async function forgetInSearch(deps: RuleDeps, files: FileServer, path: string): Promise<boolean> {
  // It puts back what it finds so deep: the folder itself.
  const body = { paths: [path], max_depth: 0 }
  for (let tries = 0; ; tries++) {
    const { code, message } = await callAsAdmin(deps, files, '/api/admin/index/update', body)
    if (message !== BUSY_INDEX || tries === MAX_TRIES) return code === 200 || message === NO_INDEX
    await deps.wait(BUSY_MILLISECONDS)
  }
}

async function moveThere(deps: RuleDeps, files: FileServer, path: string, to: string) {
  const isRename = parentOf(path) === parentOf(to)
  const [call, body] = isRename
    ? ['rename', { path, name: nameOf(to) }]
    : ['move', { src_dir: parentOf(path), dst_dir: parentOf(to), names: [nameOf(path)] }]
  const { code, data } = await callOrigin(deps, files, `/api/fs/${call}`, {
    token: files.token,
    body,
  })
  if (code !== 200 || !v.is(movedSchema, data)) throw notMoved(`${call}: ${code}`)
  if (!(await isFolder(deps, files, to))) throw notMoved('it is not at the new place')
}

async function isFolder(deps: RuleDeps, files: FileServer, path: string): Promise<boolean> {
  return (await kindAt(deps, files, path)) === 'folder'
}

async function exists(deps: RuleDeps, files: FileServer, path: string): Promise<boolean> {
  return (await itemAt(deps, files, path)) !== undefined
}
