import { selectBehind } from '../../capabilities/files/store.ts'
import { type IdentityDeps, writeChangedFileUsers } from '../../capabilities/files/write-users.ts'
import { reasonIn } from '../kit/command-error.ts'
import { whileWaiting } from '../kit/waiting.ts'
import { findFileServer } from './file-server.ts'

/**
 * Writes to the file server what a command has changed of its users, so that shares of a user who
 * was disabled or deleted end with the command. What can't be written from here, the site writes
 * with its next run, and the command says so.
 *
 * @param nextRun Says when that is.
 */
export async function writeFileUsersOf(
  deps: IdentityDeps,
  isRemote: boolean,
  nextRun: string,
): Promise<void> {
  const isAnybodyBehind = async () => (await selectBehind(deps.db, 1, deps.now())).length > 0
  if (!(await isAnybodyBehind())) return
  const why = await whileWaiting('Writing to OpenList', () => write(deps, isRemote))
  // A local site without a file server has nobody to write to.
  if (why === undefined || !(await isAnybodyBehind())) return
  process.stderr.write(`OpenList does not have this change yet: ${why}. ${nextRun}\n`)
}

/** @returns Why something may be left to write; `undefined` when there is no file server. */
async function write(deps: IdentityDeps, isRemote: boolean): Promise<string | undefined> {
  const unknown = 'FILES_ORIGIN and FILES_TOKEN are not known here'
  try {
    const files = await findFileServer(isRemote)
    if (files === undefined) return isRemote ? unknown : undefined
    if (files.problem !== undefined) return files.problem
    while ((await writeChangedFileUsers(deps, files)) > 0);
    return 'OpenList did not take it'
  } catch (error) {
    return reasonIn(error)
  }
}
