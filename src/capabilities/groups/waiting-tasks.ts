import * as v from 'valibot'
import { ADMIN, isPermitted } from '../../core/accounts/roles.ts'
import { cleanFolder } from '../../core/base/clean-folder.ts'
import type { FileServer } from '../../core/base/file-server.ts'
import { Refusal } from '../../core/base/refusals.ts'
import type { Deps } from '../../core/deps.ts'
import { callAsAdmin, type OriginDeps, readOriginList } from '../files/origin.ts'
import { isAtOrBelow, isRuled, pathAndParents, seenBy } from './decision.ts'
import type { Meta } from './metas.ts'
import { areMet, type Need, writesWhole } from './needs.ts'
import { parentOf } from './openlist-paths.ts'
import { listMetas, type PlanDeps, readRightsHere, type RightsHere } from './plan.ts'
import { creatorOf } from './shares.ts'
import { BIT_OF_TASK, needsOfTask, TASK_KINDS, type TaskKind } from './task-needs.ts'

/**
 * The states of a task that does not run: pending, failed and to be tried again, waiting for that,
 * before that (`tache.State`).
 */
const WAITING: readonly number[] = [0, 5, 8, 9]

/** The states of a task that was cancelled, or has failed for good. */
const FAILED: readonly number[] = [4, 7]

/** The states of a task that runs, or has been told to end. */
const RUNNING: readonly number[] = [1, 3]

/** The wait for tasks to end, once they are told to; not so long that the lease of the writer ends. */
const END_TRIES = 10
const END_MILLISECONDS = 250

const taskSchema = v.object({
  id: v.string(),
  name: v.string(),
  state: v.number(),
  creator: v.string(),
  creator_role: v.number(),
})
type Task = v.InferOutput<typeof taskSchema>
const entrySchema = v.pipe(v.string(), v.parseJson(), taskSchema)
const listSchema = v.object({ code: v.literal(200), data: v.nullable(v.array(v.null())) })

/** The rules, whom they concern, and the metas of the file server. */
type RightsOfTasks = RightsHere & { metas: readonly Meta[] }

/** Cancels as `cancelWaitingTasks` does, by the rights of this moment. */
export async function cancelForbiddenTasks(deps: PlanDeps, files: FileServer): Promise<void> {
  const here = await readRightsHere(deps)
  if (here.folders.length === 0) return
  await cancelWaitingTasks(deps, files, { ...here, metas: await listMetas(deps, files) })
}

/**
 * Cancels the tasks that wait in the queues of the file server and that their users might not begin
 * now: once begun, a task looks at no rights. Those that run go on.
 *
 * @throws {Refusal} `filesUnavailable`, `filesBroken`.
 */
export async function cancelWaitingTasks(
  deps: OriginDeps,
  files: FileServer,
  here: RightsOfTasks,
): Promise<void> {
  if (here.folders.length === 0) return
  await Promise.all(
    TASK_KINDS.map(async (kind) => {
      const ids = await listTasks(
        deps,
        files,
        kind,
        'undone',
        (task) => WAITING.includes(task.state) && isOver(kind, task, here),
      )
      if (ids.length > 0)
        await cancelTasks(kind, ids, (path, body) => callAsAdmin(deps, files, path, body))
    }),
  )
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
 * the source of a move when all is done that goes into the same folder, and a task that is done can
 * stand in its queue a second time. What has ended leaves the list, too.
 *
 * @throws {Refusal} `filesUnavailable`, `filesBroken`.
 */
export async function endEarlierTasks(
  deps: OriginDeps & Pick<Deps, 'wait'>,
  files: FileServer,
): Promise<void> {
  const call = (path: string, body: unknown) => callAsAdmin(deps, files, path, body)
  await Promise.all(
    TASK_KINDS.map(async (kind) => {
      const running = await listTasks(deps, files, kind, 'undone', isRunning)
      const undone = await listTasks(deps, files, kind, 'undone', isOfUser)
      const done = await listTasks(deps, files, kind, 'done', isOfUser)
      if (undone.length + done.length > 0) await cancelTasks(kind, [...undone, ...done], call)
      if (done.length > 0) await call(`/api/task/${kind}/delete_some`, done)
      for (let left = running, tries = 0; left.length > 0 && tries < END_TRIES; tries++) {
        await deps.wait(END_MILLISECONDS)
        const listed = new Set(await listTasks(deps, files, kind, 'undone', isOfUser))
        left = left.filter((id) => listed.has(id))
      }
    }),
  )
}

/** Lists the ids of the tasks that may be begun again. */
export function listFailed(deps: OriginDeps, files: FileServer, kind: TaskKind): Promise<string[]> {
  return listTasks(deps, files, kind, 'done', ({ state }) => FAILED.includes(state))
}

function isOfUser(task: Task): boolean {
  return task.creator_role !== ADMIN
}

function isRunning(task: Task): boolean {
  return isOfUser(task) && RUNNING.includes(task.state)
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

/** Whether a task waits that its user might not begin now. */
function isOver(kind: TaskKind, task: Task, here: RightsOfTasks): boolean {
  if (task.creator_role === ADMIN) return false
  const needs = needsOfTask(kind, task.name) ?? [writesWhole('/')]
  const creator = creatorOf(task.creator, here)
  // The account was deleted.
  if (creator?.role === null) return true
  const person = here.people.find(({ id }) => id === creator?.userId)
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
