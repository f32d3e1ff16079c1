import { recordEvent } from '../../core/audit/events.ts'
import type { FileServer } from '../../core/base/file-server.ts'
import { remembered } from '../../core/base/isolate-memory.ts'
import { Refusal } from '../../core/base/refusals.ts'
import { logError } from '../../core/database/log.ts'
import { runBatch, THE_SERVICE } from '../../core/database/statements.ts'
import type { Deps } from '../../core/deps.ts'
import { asOnlyWriter, type LeaseDeps, METAS } from '../files/lease.ts'
import { filesUnavailable } from '../files/origin.ts'
import { isAway } from '../files/write-users.ts'
import { forgettingMetas, recordingMetas, recordSettled } from './meta-store.ts'
import { listForeignIn, type MetaRecord, type MetaWrite } from './metas.ts'
import { type Rights, readRights, readRightsHere } from './plan.ts'
import { sendMeta, sendingMetas } from './send-metas.ts'
import { waitForRequests } from './requests-under-way.ts'
import { disableShares } from './shares.ts'
import { isSettled } from './store.ts'
import { cancelForbiddenTasks, cancelTasksOver, endEarlierTasks } from './waiting-tasks.ts'
import type { FolderWarning } from './warnings.ts'

export type WriterDeps = LeaseDeps &
  Pick<Deps, 'isolateMemory'> & {
    /** Tells of a failure after which folders wait; by default in the log. */
    tellFailure?: typeof logError
    /** How long tasks that run on are looked at after an answer; by default until the next run. */
    lookingMilliseconds?: number
  }

/** The number of folders that are written before an answer. */
const MAX_FOLDERS = 20
/** The next requests of users do not wait for longer while others write. */
const PATIENCE_MILLISECONDS = 1000
/** Tasks that run on are looked at once a second until the next run, if the platform allows it. */
const LOOK_MILLISECONDS = 1000
const LOOKING_MILLISECONDS = 270_000
/** For so long users get 503 after a writer was killed. A write takes the file server 20 ms. */
export const LEASE_MILLISECONDS = 5000

function tellFailure(deps: WriterDeps, ...failure: Parameters<typeof logError>): void {
  const tell = deps.tellFailure ?? logError
  tell(...failure)
}

/** The folders that were written to the file server, and those that wait. */
export interface Written {
  /** Those that have rules. */
  folders: number
  written: number
  waiting: number
  /** The requests under way that began before a change of rights. */
  underWay: number
  /** Tasks run on that were cancelled, or that the deletion of a closed source waits for. */
  areTasksLeft: boolean
  warnings: FolderWarning[]
}

/**
 * Writes folders to the file server, after a change and before its answer: twenty at most. It ends
 * the shares that the change forbids.
 *
 * @param mayBeFirst Whether users may have begun tasks without rules.
 * @returns What waits; everything, when the file server is away or refuses.
 */
export async function writeFolders(
  deps: WriterDeps,
  files: FileServer,
  mayBeFirst = false,
): Promise<Written> {
  if (files.problem === undefined) {
    try {
      const write = (leased: WriterDeps) =>
        writeRound(deps, leased, files, ({ writes }) => writes, mayBeFirst)
      const lease = { leaseMilliseconds: LEASE_MILLISECONDS }
      return await asOnlyWriter(deps, files, METAS, write, lease)
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      tellFailure(deps, error, { during: 'the folders of the file server' })
    }
  }
  const { folders, records, underWay } = await readRightsHere(deps)
  const waiting = new Set([...folders, ...records.map(({ path }) => path)]).size
  const none = { written: 0, areTasksLeft: false, warnings: [] }
  return { folders: folders.length, waiting, underWay, ...none }
}

/** Finishes a change after its answer. A failure is logged; the next run tries again. */
export async function writeRest(deps: WriterDeps, files: FileServer): Promise<void> {
  const { areTasksLeft } = await writeAll(deps, files)
  if (areTasksLeft) await untilTasksEnd(deps, files)
}

/**
 * Cancels what tasks that run on put into a queue, until they have ended.
 *
 * @see writeRest
 */
export async function untilTasksEnd(deps: WriterDeps, files: FileServer): Promise<void> {
  const end = deps.now() + (deps.lookingMilliseconds ?? LOOKING_MILLISECONDS)
  while (deps.now() < end) {
    await deps.wait(LOOK_MILLISECONDS)
    const isLeft = (await cancelOrLog(deps, files))?.areTasksLeft
    if (isLeft !== true && !(await writeAll(deps, files)).areTasksLeft) return
  }
}

/** Writes all folders that wait. A failure is logged. */
export async function writeAll(deps: WriterDeps, files: FileServer): Promise<Written> {
  for (;;) {
    const written = await writeFolders(deps, files)
    if (written.waiting === 0 || written.written === 0) return written
  }
}

/**
 * Cancels the tasks that are forbidden, again once the requests under way have made theirs.
 *
 * @returns Whether some may be left. The next run tries again.
 */
export async function cancelTasksInTime(deps: WriterDeps, files: FileServer): Promise<boolean> {
  const first = await cancelOrLog(deps, files)
  if (first === undefined) return true
  if (!(await waitForRequests(deps, first.underWay))) return first.areTasksLeft
  return (await cancelOrLog(deps, files))?.areTasksLeft !== false
}

/** @returns `undefined` after a failure, which is logged. */
async function cancelOrLog(deps: WriterDeps, files: FileServer) {
  try {
    return await cancelForbiddenTasks(deps, files)
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    tellFailure(deps, error, { during: 'the tasks of the file server' })
    return undefined
  }
}

/** Who sends a request to the file server. */
interface Asker {
  /** `undefined` on a site without a guest. */
  account: { id: number } | undefined
  isAdmin: boolean
  /** This request has made its user at the file server: `waits` does not know of it. */
  isNew: boolean
}

/** The users whose rights wait to be written, of one version of the rules. */
const waitingMemory = remembered('whose folders wait to be written', (): WaitingMemory => ({}))
interface WaitingMemory {
  known?: { version: string; userIds: ReadonlySet<number> }
}

/**
 * Writes the folders that change the rights of an account, before its request: twenty at most.
 *
 * @param waits The version of the rules that waits to be written; null when none did.
 * @returns Whether it took its time: the account and the rules may be others by now.
 * @throws {Refusal} `filesUnavailable` while some of them wait; `filesBroken`.
 */
export async function settleFor(
  deps: WriterDeps,
  files: FileServer,
  { account, isAdmin, isNew }: Asker,
  waits: string | null,
): Promise<boolean> {
  if (isAdmin || account === undefined) return false
  if (waits === null && !isNew) return false
  const { known } = waitingMemory(deps)
  if (waits === null && (await isSettled(deps.db))) return false
  if (!isNew && known?.version === waits && !known.userIds.has(account.id)) return false
  const isWaiting = (rights: Rights) => noteWaiting(deps, rights).has(account.id)
  if (!isWaiting(await readRights(deps, files))) return true
  const write = async (leased: WriterDeps) => {
    await writeRound(deps, leased, files, ({ writes, remoteUsers }) => {
      const { remoteId } = remoteUsers.find(({ userId }) => userId === account.id) ?? {}
      return writes.filter(({ changes }) => remoteId !== undefined && changes(remoteId))
    })
    if (isWaiting(await readRights(leased, files)))
      throw filesUnavailable(`folders of user ${account.id} wait to be written`)
    return true
  }
  try {
    await asOnlyWriter(deps, files, METAS, write, {
      patienceMilliseconds: PATIENCE_MILLISECONDS,
      leaseMilliseconds: LEASE_MILLISECONDS,
      findDone: async () => (await isSettled(deps.db)) || undefined,
    })
  } catch (error) {
    if (!(error instanceof Refusal) || error.refusal !== 'filesUnavailable') throw error
    throw new Refusal('filesUnavailable', { detail: error.detail, retryAfterSeconds: 1 })
  }
  return true
}

function noteWaiting(deps: WriterDeps, rights: Rights): ReadonlySet<number> {
  const { version, remoteUsers, writes, blocked } = rights
  const waiting = [...writes, ...blocked]
  const userIds = new Set(
    remoteUsers
      .filter(({ remoteId }) => waiting.some(({ changes }) => changes(remoteId)))
      .map(({ userId }) => userId),
  )
  waitingMemory(deps).known = { version, userIds }
  return userIds
}

/** @throws {Refusal} `folderHasOwnUsers`. While the file server is away, nobody can tell. */
export async function refuseForeignLists(
  deps: WriterDeps,
  files: FileServer,
  path: string,
): Promise<void> {
  if (files.problem !== undefined) return
  try {
    const [foreign] = listForeignIn(path, await readRights(deps, files))
    if (foreign !== undefined)
      throw new Refusal('folderHasOwnUsers', { values: { path: foreign.path } })
  } catch (error) {
    if (!(error instanceof Refusal) || !isAway(error)) throw error
  }
}

/**
 * Ends the shares and the tasks that the rules forbid, and writes folders.
 *
 * @param deps Those that hold no lease: each call renews it, and none is needed to cancel a task.
 * @param choose Returns the writes, of which the first twenty folders are written.
 */
async function writeRound(
  deps: WriterDeps,
  leased: WriterDeps,
  files: FileServer,
  choose: (rights: Rights) => readonly MetaWrite[],
  mayBeFirst = false,
): Promise<Written> {
  const rights = await readRights(leased, files)
  const isFirst =
    rights.folders.length > 0 && (mayBeFirst || rights.records.every(({ lists }) => !lists))
  let areTasksLeft = false
  let isAnyLeft = isFirst
  const endTasks = async () => {
    if (isFirst) ({ areLeft: areTasksLeft, isAnyLeft } = await endEarlierTasks(deps, files))
    else isAnyLeft = areTasksLeft = await cancelTasksOver(deps, files, rights)
  }
  const ended = await Promise.all([
    isDone(deps, 'the shares of the file server', disableShares(leased, files, rights)),
    isDone(deps, 'the tasks of the file server', endTasks()),
  ])
  const { underWay } = rights
  const isEnded = ended.every(Boolean) && underWay === 0 && !areTasksLeft
  const { left, done } = await writeSome(leased, files, rights, choose(rights))
  if (left.length === 0 && isEnded) await recordSettled(deps.db, rights.version)
  const waiting = new Set(left.map(({ path }) => path))
  const written = new Set(done.map(({ path }) => path).filter((path) => !waiting.has(path)))
  return {
    folders: rights.folders.length,
    written: written.size,
    waiting: isEnded ? waiting.size : Math.max(waiting.size, 1),
    underWay,
    areTasksLeft,
    warnings: isAnyLeft ? ['tasks_under_way'] : [],
  }
}

/** The folders do not wait for shares and tasks that can't be ended. */
async function isDone(deps: WriterDeps, during: string, work: Promise<void>): Promise<boolean> {
  try {
    await work
    return true
  } catch (error) {
    if (!(error instanceof Refusal) || isAway(error)) throw error
    tellFailure(deps, error, { during })
    return false
  }
}

/** Writes the first folders of those that wait, and records what was written. */
async function writeSome(
  deps: WriterDeps,
  files: FileServer,
  rights: Rights,
  wanted: readonly MetaWrite[],
): Promise<{ left: MetaWrite[]; done: MetaWrite[] }> {
  const paths = new Set(Array.from(new Set(wanted.map(({ path }) => path))).slice(0, MAX_FOLDERS))
  const chosen = wanted.filter(({ path }) => paths.has(path))
  const sending = sendingMetas(rights.metas)
  const begun = chosen.filter(({ kind }) => kind !== 'forget')
  const unknown = begun.map((write) => ({
    ...recordFor(write, sending.idFor(write)),
    lists: undefined,
  }))
  if (unknown.length > 0)
    await runBatch(deps.db, { begun: recordingMetas(deps.db, THE_SERVICE, unknown) })
  const done: MetaWrite[] = []
  try {
    for (const write of chosen) {
      try {
        await sendMeta(deps, files, sending, write)
        done.push(write)
      } catch (error) {
        // The others do not wait for one that can't be written, but all do for a server that is away.
        if (!(error instanceof Refusal) || isAway(error)) throw error
        tellFailure(deps, error, { during: 'a folder of the file server' })
      }
    }
  } finally {
    await record(deps, done, (write) => sending.idFor(write))
  }
  const left = [...rights.writes, ...rights.blocked].filter((write) => !done.includes(write))
  return { left, done }
}

function recordFor({ path, isOwn, lists }: MetaWrite, remoteId: number): MetaRecord {
  return { path, remoteId, isOwn, lists }
}

async function record(
  deps: WriterDeps,
  done: readonly MetaWrite[],
  idFor: (write: MetaWrite) => number,
): Promise<void> {
  // A meta that was written and then deleted is forgotten.
  const last = Array.from(new Map(done.map((write) => [write.path, write])).values())
  const kept = last.filter(({ lists }) => lists !== undefined)
  const gone = last.filter(({ lists }) => lists === undefined)
  await runBatch(deps.db, {
    kept:
      kept.length === 0
        ? undefined
        : recordingMetas(
            deps.db,
            THE_SERVICE,
            kept.map((write) => recordFor(write, idFor(write))),
          ),
    gone:
      gone.length === 0
        ? undefined
        : forgettingMetas(
            deps.db,
            gone.map(({ path }) => path),
          ),
  })
  for (const { path } of done.filter(({ isDrift }) => isDrift))
    await recordEvent(deps.db, {
      at: deps.now(),
      kind: 'folder_rights_restored',
      detail: path,
      network: '',
      userAgent: '',
    })
}
