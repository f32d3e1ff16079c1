import * as v from 'valibot'
import { ADMIN, isPermitted } from '../../core/accounts/roles.ts'
import { cleanFolder } from '../../core/base/clean-folder.ts'
import type { FileServer } from '../../core/base/file-server.ts'
import { Refusal } from '../../core/base/refusals.ts'
import type { Deps } from '../../core/deps.ts'
import { callAsAdmin, type OriginDeps, readOriginList } from '../files/origin.ts'
import { isAtOrBelow, isRuled, pathAndParents, seenBy } from './decision.ts'
import type { Meta } from './metas.ts'
import { ListedNames } from './listed-names.ts'
import { isOpenBehind } from './names-behind.ts'
import { areMet, type Need, readsWhole, writesWhole } from './needs.ts'
import { parentOf } from './openlist-paths.ts'
import { listMetas, type PlanDeps, readRightsHere, type RightsHere } from './plan.ts'
import { listStorages, storagesReached } from './second-paths.ts'
import { makerOf } from './shares.ts'
import { BIT_OF_TASK, needsOfTask, TASK_KINDS, type TaskKind } from './task-needs.ts'

/**
 * The states of a task that does not run: pending, failed and to be tried again, waiting for that,
 * before that (`tache.State`).
 */
const WAITING: readonly number[] = [0, 5, 8, 9]
const RUNNING = 1
const CANCELING = 3
/** The states of a task that was cancelled, or has failed for good. */
const FAILED: readonly number[] = [4, 7]

/** The wait for tasks to end, once they are told to; not so long that the lease of the writer ends. */
const END_TRIES = 10
const END_MILLISECONDS = 250
/** The wait for them to end before they are deleted from the list. */
const DELETION_TRIES = 4
/**
 * What one that ends has put into a queue is cancelled, too: an unpacking first makes one task, and
 * that one more.
 */
const MAX_PASSES = 3

const taskSchema = v.object({
  id: v.string(),
  name: v.string(),
  state: v.number(),
  /** Null before it begins. */
  start_time: v.nullish(v.string(), null),
  creator: v.string(),
  creator_role: v.number(),
})
type Task = v.InferOutput<typeof taskSchema>
const entrySchema = v.pipe(v.string(), v.parseJson(), taskSchema)
const listSchema = v.object({ code: v.literal(200), data: v.nullable(v.array(v.null())) })

/** The rules, whom they concern, and the metas of the file server. */
type RightsOfTasks = RightsHere & { metas: readonly Meta[] }

type TaskDeps = OriginDeps & Pick<Deps, 'wait'>

/** Cancels as `cancelTasksOver` does, by the rights of this moment, which it returns. */
export async function cancelForbiddenTasks(
  deps: PlanDeps & TaskDeps,
  files: FileServer,
): Promise<RightsHere & { areTasksLeft: boolean }> {
  const here = await readRightsHere(deps)
  const areTasksLeft =
    here.folders.length > 0 &&
    (await cancelTasksOver(deps, files, { ...here, metas: await listMetas(deps, files) }))
  return { ...here, areTasksLeft }
}

/**
 * Cancels the tasks at the file server that their users might not begin now. Once begun, a task
 * looks at no rights; and a storage on the disk deletes what stands at the target of a task that
 * its user cancels, by then perhaps the file of another.
 *
 * Where a storage could not move by itself, the file server deletes the source of a move once all
 * is done that goes into the same folder. So what users have under way there is cancelled, too.
 *
 * @returns Whether a task is left: one that runs on, or that such a deletion waits for.
 * @throws {Refusal} `filesUnavailable`, `filesBroken`.
 */
export async function cancelTasksOver(
  deps: TaskDeps,
  files: FileServer,
  here: RightsOfTasks,
): Promise<boolean> {
  if (here.folders.length === 0) return false
  let isHeld = false
  const areLeft = await inPasses(async () => {
    const moves = await listClosedMoves(deps, files, here)
    const ending = await cancelOver(deps, files, here, moves)
    isHeld = moves.size > 0 && (await forgetMoves(deps, files, moves))
    return ending
  })
  return areLeft || isHeld
}

/** What has become of tasks that ran when they were told to end. */
type Ending = 'none ran' | 'ended' | 'run on'

/** @returns Whether some run on, or may have put others into a queue. */
async function inPasses(end: () => Promise<Ending>): Promise<boolean> {
  for (let passes = 0; passes < MAX_PASSES; passes++) {
    const ending = await end()
    if (ending !== 'ended') return ending === 'run on'
  }
  return true
}

async function cancelOver(
  deps: TaskDeps,
  files: FileServer,
  here: RightsOfTasks,
  moves: Moves,
): Promise<Ending> {
  const holdsMove = (kind: TaskKind, task: Task) =>
    isOfUser(task) && Array.from(moves.keys()).some((folder) => enters(kind, task, folder))
  const unsafe = await listLeadingOut(deps, files, here)
  const isForbidden = (kind: TaskKind, task: Task) =>
    isOver(kind, task, here) || holdsMove(kind, task) || unsafe.has(`${kind} ${task.id}`)
  return endAll(deps, files, isForbidden)
}

/** Ends tasks of all kinds. */
async function endAll(
  deps: TaskDeps,
  files: FileServer,
  which: (kind: TaskKind, task: Task) => boolean,
): Promise<Ending> {
  const endings = await Promise.all(
    TASK_KINDS.map((kind) => endTasks(deps, files, kind, (task) => which(kind, task))),
  )
  if (endings.includes('run on')) return 'run on'
  return endings.includes('ended') ? 'ended' : 'none ran'
}

/**
 * Ends what users have under way into folders.
 *
 * @throws {Refusal} `filesUnavailable`, `filesBroken`.
 */
export async function endTasksInto(
  deps: TaskDeps,
  files: FileServer,
  folders: readonly string[],
): Promise<void> {
  await endAll(
    deps,
    files,
    (kind, task) => isOfUser(task) && folders.some((folder) => enters(kind, task, folder)),
  )
}

/** What goes through a folder by the names in it. */
const THROUGH_FOLDERS = ['copy', 'move'] as const
/** What makes files by the names in an archive. */
const OUT_OF_ARCHIVES = ['decompress', 'decompress_upload'] as const

/**
 * Lists the tasks of users that could not be begun now, because names that they find may lead out:
 * copies and moves of folders with such names, out of a storage that is closed in part, and what
 * unpacks into such a storage. Their users could use all of the storage when they began them.
 *
 * @returns Each as its kind and its id.
 */
async function listLeadingOut(
  deps: TaskDeps,
  files: FileServer,
  here: RightsOfTasks,
): Promise<ReadonlySet<string>> {
  const begun: { task: Task; key: string; isUnpacking: boolean; path: string }[] = []
  const note = (kind: TaskKind, isUnpacking: boolean) => (task: Task) => {
    const needs = needsOfTask(kind, task.name)
    const need = isUnpacking ? needs?.at(-1) : needs?.[0]
    if (need !== undefined && isOfUser(task) && !isOver(kind, task, here))
      begun.push({ task, key: `${kind} ${task.id}`, isUnpacking, path: need.path })
    return false
  }
  for (const kind of THROUGH_FOLDERS)
    await listTasks(deps, files, kind, 'undone', note(kind, false))
  for (const kind of OUT_OF_ARCHIVES) await listTasks(deps, files, kind, 'undone', note(kind, true))
  const found = new Set<string>()
  if (begun.length === 0) return found
  const storages = await listStorages(deps, files)
  const listed = new ListedNames(deps, files)
  for (const { task, key, isUnpacking, path } of begun) {
    const needs = storagesReached(storages, path).map(isUnpacking ? writesWhole : readsWhole)
    const isPartly = needs.some((need) => isClosed(need, task, here))
    if (!isPartly) continue
    const mayLeadOut =
      isUnpacking || isOpenBehind(here, storages, path) || !(await listed.stayIn(path))
    if (mayLeadOut) found.add(key)
  }
  return found
}

/** The ids of moves by the folder that they go into. */
type Moves = Map<string, string[]>

/** Lists the moves whose sources are closed to their users now, those that are done too. */
async function listClosedMoves(
  deps: TaskDeps,
  files: FileServer,
  here: RightsOfTasks,
): Promise<Moves> {
  const moves: Moves = new Map()
  const note = (task: Task) => {
    const [source, target] = needsOfTask('move', task.name) ?? [writesWhole('/')]
    if (!isOfUser(task) || source === undefined || !isClosed(source, task, here)) return false
    const folder = target === undefined ? '/' : parentOf(target.path)
    moves.set(folder, [...(moves.get(folder) ?? []), task.id])
    return false
  }
  await listTasks(deps, files, 'move', 'undone', note)
  await listTasks(deps, files, 'move', 'done', note)
  return moves
}

/**
 * Deletes moves from the list when nothing is under way into their folder, so that they are not
 * looked at again.
 *
 * @returns Whether some are left.
 */
async function forgetMoves(deps: TaskDeps, files: FileServer, moves: Moves): Promise<boolean> {
  const held = new Set<string>()
  const note = (kind: TaskKind) => (task: Task) => {
    for (const folder of moves.keys()) if (enters(kind, task, folder)) held.add(folder)
    return false
  }
  await Promise.all(TASK_KINDS.map((kind) => listTasks(deps, files, kind, 'undone', note(kind))))
  const ids = Array.from(moves).flatMap(([folder, ofFolder]) => (held.has(folder) ? [] : ofFolder))
  if (ids.length > 0) await callAsAdmin(deps, files, '/api/task/move/delete_some', ids)
  return held.size > 0
}

/**
 * Tells whether somebody, an administrator too, has a task under way that may write into a folder.
 *
 * @throws {Refusal} `filesUnavailable`, `filesBroken`.
 */
export async function isEntered(
  deps: OriginDeps,
  files: FileServer,
  folder: string,
): Promise<boolean> {
  const entering = await Promise.all(
    TASK_KINDS.map((kind) =>
      listTasks(deps, files, kind, 'undone', (task) => enters(kind, task, folder)),
    ),
  )
  return entering.some(({ length }) => length > 0)
}

/** Tells whether the rules close to the user of a task what it needs. */
function isClosed(need: Need, task: Task, here: RightsOfTasks): boolean {
  const { person } = makerOf(task.creator, here)
  if (person === undefined) return isRuled(here.at, need.path)
  return !areMet(seenBy(here.at, person), [need])
}

/** Tells whether a task may write into a folder, or below it. */
function enters(kind: TaskKind, { name }: Task, folder: string): boolean {
  const needs = needsOfTask(kind, name)?.filter(({ access }) => access === 'write')
  return needs?.some(({ path }) => isAtOrBelow(path, folder) || isAtOrBelow(folder, path)) ?? true
}

/**
 * @param call Calls the file server as whose tasks they are, or as an admin.
 * @throws {Refusal} `filesUnavailable`, `filesBroken`.
 */
export async function cancelTasks(
  kind: TaskKind,
  ids: readonly string[],
  call: (path: string, body: unknown) => Promise<{ code: number }>,
): Promise<void> {
  const { code } = await call(`/api/task/${kind}/cancel_some`, ids)
  if (code !== 200)
    throw new Refusal('filesBroken', { detail: `tasks can't be cancelled: ${code}` })
}

/**
 * Ends what users have begun before the site had rules, when nobody looked: the file server deletes
 * the source of a move when all is done that goes into the same folder.
 *
 * @returns Whether tasks of users run on, and whether any is left, of an administrator too: moves
 *   of users may wait for it.
 * @throws {Refusal} `filesUnavailable`, `filesBroken`.
 */
export async function endEarlierTasks(
  deps: TaskDeps,
  files: FileServer,
): Promise<{ areLeft: boolean; isAnyLeft: boolean }> {
  const areLeft = await inPasses(() => endAll(deps, files, (_, task) => isOfUser(task)))
  const left = await Promise.all(
    TASK_KINDS.map((kind) => listTasks(deps, files, kind, 'undone', () => true)),
  )
  return { areLeft, isAnyLeft: left.some(({ length }) => length > 0) }
}

/** Cancels tasks, and waits for those that run to end, as long as it may. */
async function endTasks(
  deps: TaskDeps,
  files: FileServer,
  kind: TaskKind,
  which: (task: Task) => boolean,
): Promise<Ending> {
  let running: string[] = []
  const undone = await listTasks(deps, files, kind, 'undone', (task) => {
    const { id, state, start_time: start } = task
    if (!which(task)) return false
    // One that was cancelled before can run on. One that had not begun does not begin.
    if (state === RUNNING || (state === CANCELING && start !== null)) running.push(id)
    return state === RUNNING || WAITING.includes(state)
  })
  if (undone.length > 0)
    await cancelTasks(kind, undone, (path, body) => callAsAdmin(deps, files, path, body))
  if (running.length === 0) return 'none ran'
  for (let tries = 0; running.length > 0 && tries < END_TRIES; tries++) {
    await deps.wait(END_MILLISECONDS)
    const ending = new Set(
      await listTasks(deps, files, kind, 'undone', ({ state }) => state === CANCELING),
    )
    running = running.filter((id) => ending.has(id))
  }
  return running.length === 0 ? 'ended' : 'run on'
}

/** Lists the ids of the tasks that may be begun again. */
export function listFailed(deps: OriginDeps, files: FileServer, kind: TaskKind): Promise<string[]> {
  return listTasks(deps, files, kind, 'done', ({ state }) => FAILED.includes(state))
}

/** Tells whether tasks that were cancelled have ended. It waits for a second. */
export async function haveEnded(
  deps: TaskDeps,
  files: FileServer,
  kind: TaskKind,
  ids: readonly string[],
): Promise<boolean> {
  const runs = ({ id, state }: Task) => ids.includes(id) && [RUNNING, CANCELING].includes(state)
  for (let tries = 0; (await listTasks(deps, files, kind, 'undone', runs)).length > 0; tries++) {
    if (tries === DELETION_TRIES) return false
    await deps.wait(END_MILLISECONDS)
  }
  return true
}

function isOfUser(task: Task): boolean {
  return task.creator_role !== ADMIN
}

/** Lists the ids of tasks. A user can make so many that they are not held here. */
async function listTasks(
  deps: OriginDeps,
  files: FileServer,
  kind: TaskKind,
  name: 'undone' | 'done',
  which: (task: Task) => boolean,
): Promise<string[]> {
  const ids: string[] = []
  const list = await readOriginList(deps, files, `/api/task/${kind}/${name}`, (entry) => {
    const task = v.safeParse(entrySchema, entry)
    if (!task.success) throw new Refusal('filesBroken', { detail: 'no list of tasks' })
    if (which(task.output)) ids.push(task.output.id)
  })
  if (v.is(listSchema, list)) return ids
  throw new Refusal('filesBroken', { detail: 'no list of tasks' })
}

/** Whether a task is there that its user might not begin now. */
function isOver(kind: TaskKind, task: Task, here: RightsOfTasks): boolean {
  if (!isOfUser(task)) return false
  const needs = needsOfTask(kind, task.name) ?? [writesWhole('/')]
  const { user, person } = makerOf(task.creator, here)
  // The account was deleted, or gives its name away: no task would be known as its own.
  if (user?.role === null || user?.isRenamed === true) return true
  // The name is that of the day when the task was made, so it may be another user's by now.
  if (person === undefined) return needs.some(({ path }) => isRuled(here.at, path))
  if (person.role === ADMIN) return !person.isEnabled
  const base = cleanFolder(person.basePath)
  const isBelow = needs.every(({ path }) => isAtOrBelow(path, base))
  const isAllowed =
    isPermitted(person.permission, BIT_OF_TASK[kind]) ||
    (kind === 'upload' && needs.every((need) => isUploadFree(here.metas, need)))
  const { isEnabled } = person
  return !isEnabled || !isBelow || !isAllowed || !areMet(seenBy(here.at, person), needs)
}

/** Whether OpenList lets users upload who have no bit for it (`CanWriteContentBypassUserPerms`). */
function isUploadFree(metas: readonly Meta[], { path }: Need): boolean {
  const folder = parentOf(path)
  for (const above of pathAndParents(folder)) {
    const nearest = metas.find((meta) => meta.path === above)
    if (nearest !== undefined)
      return nearest['write'] === true && (above === folder || nearest['w_sub'] === true)
  }
  return false
}
