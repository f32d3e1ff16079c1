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
import { forgetKept } from '../files/settings-there.ts'
import { isAtOrBelow, pathAndParents } from './decision.ts'
import { readFolder } from './fields.ts'
import { moveFolders } from './folder-move.ts'
import { needFileServer, type RuleDeps } from './folder-rules.ts'
import { isOfVersion } from './meta-store.ts'
import { listForeignIn } from './metas.ts'
import { joinNames, nameOf, parentOf } from './openlist-paths.ts'
import { readRights } from './plan.ts'
import { MAX_RULE_PATH_CHARACTERS } from '../../core/accounts/groups.ts'
import { waitForAll } from './requests-under-way.ts'
import { isLocal, listStorages } from './second-paths.ts'
import { itemAt, kindAt, listAt, pathsWhere, seesAll } from './there.ts'
import { isEntered } from './waiting-tasks.ts'
import { writeAndWait, writeInTime } from './write-in-time.ts'
import { writeAll } from './writer.ts'

/**
 * Moves a folder at the file server, with its rules and those of the folders in it: the metas of
 * the new place are written before, and those of the old place end after it.
 *
 * @returns The number of folders that wait to be written.
 * @throws {Refusal} Those of `readFolder`; `noFileServer`, `notAdmin`, `confirmationNeeded`,
 *   `folderRuleNotFound` when no rule is in it, `folderInvalid` for a folder in itself,
 *   `folderRuleTaken` when rules are at the new place, `folderHasOwnUsers`, `folderNotMoved`,
 *   `folderMovedInPart`, `folderIsMoving`, `requestsUnderWay`, `filesUnavailable`, `filesBroken`.
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
  const steps = isOneStep ? [to] : [between, to]
  await moveFolders(deps, files, () => moveInSteps(deps, files, operator, path, steps))
  return writeInTime(deps)
}

async function moveInSteps(
  deps: RuleDeps,
  files: FileServer,
  operator: Operator,
  path: string,
  steps: readonly string[],
): Promise<void> {
  let from = path
  for (const target of steps) {
    await moveOnce(deps, files, operator, from, target).catch((error: unknown) => {
      const isHalf = error instanceof Refusal && STOPPED.includes(error.refusal)
      if (from === path || !isHalf) throw error
      throw new Refusal('folderMovedInPart', { detail: error.detail, values: { path: from } })
    })
    from = target
  }
}

/** The refusals of a move after which the folder is where it was. */
const STOPPED: readonly string[] = ['folderNotMoved', 'requestsUnderWay']

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
    await writeBefore(deps, files, path, to)
    const listed = await renewLists(deps, files, path)
    isForgotten = await forgetInSearch(deps, files, path)
    await moveThere(deps, files, path, to)
    // A copy into the folder that began meanwhile makes it anew at the old path.
    isForgotten &&= await waitForAll(deps)
    isForgotten &&= listed !== undefined && (await forgetOldPath(deps, files, listed))
    // It has put the folder itself back, which is not there any more.
    isForgotten &&= await forgetInSearch(deps, files, path)
    isForgotten &&= !(await isEntered(deps, files, path))
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

/**
 * Writes the metas of the new place, and waits for what was under way: a folder that is just moved,
 * copied or renamed would take along what is moved into it, and a copy into the folder would go on
 * at the old path.
 *
 * @throws {Refusal} `folderNotMoved`, `requestsUnderWay`; `filesUnavailable`, `filesBroken`.
 */
async function writeBefore(
  deps: RuleDeps,
  files: FileServer,
  path: string,
  to: string,
): Promise<void> {
  const { waiting, underWay, areTasksLeft } = await writeAndWait(deps, files, writeAll)
  if (waiting > 0) {
    const { writes, blocked } = await readRights(deps, files)
    if ([...writes, ...blocked].some((write) => isAtOrBelow(write.path, to)))
      throw notMoved('the metas of the new place are not written')
  }
  const isBusy = underWay > 0 || areTasksLeft || (await isEntered(deps, files, path))
  if (isBusy) throw new Refusal('requestsUnderWay')
}

/** More folders are not listed for a move. */
const MAX_FOLDERS = 400

/**
 * Lists a folder, and all folders in it, anew. When it is moved, OpenList forgets the lists that it
 * keeps from the folder downwards, by these lists themselves: below one that it does not keep, the
 * others would stay at the old path.
 *
 * @returns The paths; `undefined` for too many. A storage on the disk keeps no lists.
 * @throws {Refusal} `filesUnavailable`.
 */
async function renewLists(deps: RuleDeps, files: FileServer, path: string) {
  const folders = [path]
  if (isLocal(await listStorages(deps, files), path)) return folders
  for (const folder of folders) {
    const listed =
      folders.length <= MAX_FOLDERS ? await listAt(deps, files, folder, true) : undefined
    if (listed === undefined) return undefined
    for (const { name, is_dir: isSubfolder } of listed)
      if (isSubfolder) folders.push(joinNames(folder, name))
  }
  return folders
}

/** A list of a folder that ends late may let others of folders in it begin. */
const MAX_ROUNDS = 5

/**
 * Makes OpenList forget what it keeps under the old path of a folder: files that somebody
 * downloads, and lists. It waits for those that are just made, for whomever: the storage may have
 * answered them before the folder was moved.
 *
 * @returns Whether nothing is listed there any more.
 * @throws {Refusal} `filesUnavailable`, `filesBroken`.
 */
async function forgetOldPath(deps: RuleDeps, files: FileServer, folders: readonly string[]) {
  const isListed = async (folder: string) => (await listAt(deps, files, folder, true)) !== undefined
  for (let rounds = 0; rounds < MAX_ROUNDS; rounds++) {
    // OpenList lists a folder once for all who ask at the same time.
    const late = await pathsWhere(folders, isListed)
    await forgetKept(deps, files)
    if (late.length === 0) return true
  }
  return false
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
