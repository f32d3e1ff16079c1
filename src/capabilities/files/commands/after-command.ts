import { reasonIn } from '../../../programs/kit/command-error.ts'
import { whileWaiting } from '../../../programs/kit/waiting.ts'
import { findFileServer } from '../../../programs/site/file-server.ts'
import type { SitePlace } from '../../../programs/site/in-programs.ts'
import type { Site } from '../../../programs/site/site.ts'
import { mayBeBehind, selectBehind } from '../store.ts'
import { writeChangedFileUsers } from '../write-users.ts'

/** When the site writes what a command could not. */
const NEXT_RUN: Record<SitePlace, string> = {
  running: 'The site tries again every minute.',
  stopped: 'The site tries again a minute after npm start.',
  deployed: 'The deployed site tries again every five minutes.',
}

/**
 * Writes to the file server what a command has changed of its users, so that shares of a user who
 * was disabled or deleted end with the command. What can't be written from here, the site writes
 * with its next run, and the command says so.
 */
export async function writeFileUsersOf(site: Site, place: SitePlace): Promise<void> {
  if (!mayBeBehind(site.meter)) return
  const isAnybodyBehind = async () => (await selectBehind(site.db, 1, site.now())).length > 0
  if (!(await isAnybodyBehind())) return
  const why = await whileWaiting('Writing to OpenList', () => write(site, place === 'deployed'))
  // A local site without a file server has nobody to write to.
  if (why === undefined || !(await isAnybodyBehind())) return
  process.stderr.write(`OpenList does not have this change yet: ${why}. ${NEXT_RUN[place]}\n`)
}

/** @returns Why something may be left to write; `undefined` when there is no file server. */
async function write(site: Site, isRemote: boolean): Promise<string | undefined> {
  const unknown = 'FILES_ORIGIN and FILES_TOKEN are not known here'
  try {
    const files = await findFileServer(isRemote)
    if (files === undefined) return isRemote ? unknown : undefined
    if (files.problem !== undefined) return files.problem
    while ((await writeChangedFileUsers(site, files)) > 0);
    return 'OpenList did not take it'
  } catch (error) {
    return reasonIn(error)
  }
}
