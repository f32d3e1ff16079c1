import type { FileServer } from '../../core/base/file-server.ts'
import type { Database, Deps } from '../../core/deps.ts'
import { logError } from '../../core/database/log.ts'
import { forgetKept } from '../files/settings-there.ts'
import { recordUnsettled } from './meta-store.ts'
import { countEarlier, waitForRequests } from './requests-under-way.ts'
import { isSettled } from './store.ts'
import { hurried } from './there.ts'
import {
  cancelTasksInTime,
  type WriterDeps as FolderDeps,
  type Written,
  writeFolders,
  writeRest,
} from './writer.ts'

export type WriterDeps = FolderDeps & Pick<Deps, 'defer' | 'fileServer' | 'backgroundDb'>

/**
 * Writes folders to the file server after a change of rules or members: the first ones before the
 * answer, the others after it.
 *
 * @returns The number of folders that wait. 0 where there is no file server.
 */
export async function writeInTime(deps: WriterDeps): Promise<number> {
  const files = deps.fileServer()
  return files === undefined ? 0 : (await writeFirst(deps, files)).waiting
}

/**
 * Makes OpenList forget what has gone from a folder, if it answers soon: it gives a file under its
 * path as long as somebody downloads it, also to who may read the path only now. A failure is
 * told.
 */
export async function forgetGone(deps: WriterDeps, files: FileServer): Promise<void> {
  if (files.problem !== undefined) return
  const tellFailure = deps.tellFailure ?? logError
  await forgetKept(deps, hurried(files)).catch((error: unknown) =>
    tellFailure(error, { during: 'what the file server keeps' }),
  )
}

/** The databases of requests that have written before their answer: each request has its own. */
const haveWritten = new WeakSet<Database>()

/**
 * Writes the first folders now, and the others after the answer. It waits for the requests that
 * were let through before, and ends what they have made.
 */
export async function writeFirst(deps: WriterDeps, files: FileServer): Promise<Written> {
  haveWritten.add(deps.db)
  const written = await writeAndWait(deps, files, writeFolders)
  if (written.waiting > 0) deps.defer(writeRest({ ...deps, db: deps.backgroundDb }, files))
  return written
}

/**
 * Writes folders, waits for the requests that were let through before, as long as a change may, and
 * ends what they have made.
 */
export async function writeAndWait(
  deps: WriterDeps,
  files: FileServer,
  write: (deps: WriterDeps, files: FileServer) => Promise<Written>,
): Promise<Written> {
  const earlier = countEarlier(deps)
  let written = await write(deps, files)
  const known = written.underWay + earlier
  if (await waitForRequests(deps, known)) {
    const before = written
    const again = await writeFolders(deps, files, earlier > 0)
    written = {
      ...again,
      written: before.written + again.written,
      warnings: [...before.warnings, ...again.warnings],
    }
  }
  const left = countEarlier(deps)
  if (left > 0) {
    written.underWay += left
    written.waiting = Math.max(written.waiting, 1)
  }
  return written
}

/**
 * Takes what a change of accounts or members has taken: writes the first folders and cancels tasks
 * at the file server. Where nothing is to be done, it takes one round trip to D1; none for a
 * request that has written already.
 *
 * @param isStopping Whether the change may forbid tasks that no rule forbids.
 */
export async function takeInTime(
  deps: WriterDeps,
  files: FileServer,
  isStopping: boolean,
): Promise<void> {
  if (haveWritten.has(deps.db)) return
  if (!(await isSettled(deps.db))) await writeFirst(deps, files)
  else if (isStopping && (await cancelTasksInTime(deps, files))) {
    await recordUnsettled(deps.db)
    deps.defer(writeRest({ ...deps, db: deps.backgroundDb }, files))
  }
}
