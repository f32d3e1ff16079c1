import type { FileServer } from '../../core/base/file-server.ts'
import { logError } from '../../core/database/log.ts'
import type { Deps } from '../../core/deps.ts'
import { deleteOrphanShares } from './orphan-shares.ts'
import { type IdentityDeps, noteDriftedFileUsers, writeChangedFileUsers } from './write-users.ts'

/** Writes changed users. A failure is logged, and the run every five minutes tries again. */
export async function writeAfterAnswer(deps: IdentityDeps, files: FileServer): Promise<void> {
  if (files.problem !== undefined) return
  try {
    await writeChangedFileUsers(deps, files)
  } catch (error) {
    logError(error, { during: 'users of the file server' })
  }
}

type FileRunDeps = IdentityDeps & Pick<Deps, 'fileServer'>

/** The run every five minutes: nothing where there is no file server. */
export async function writeFileUsersInTime(deps: FileRunDeps): Promise<void> {
  const files = deps.fileServer()
  if (files === undefined || files.problem !== undefined) return
  try {
    await noteDriftedFileUsers(deps, files)
  } catch (error) {
    logError(error, { during: 'the list of users of the file server' })
  }
  await writeAfterAnswer(deps, files)
  await deleteOrphansInTime(deps, files)
}

/** Deletes shares of users who are gone. A failure is logged; the next run tries again. */
export async function deleteOrphansInTime(
  deps: Parameters<typeof deleteOrphanShares>[0],
  files: FileServer,
): Promise<void> {
  if (files.problem !== undefined) return
  try {
    await deleteOrphanShares(deps, files)
  } catch (error) {
    logError(error, { during: 'shares of users of the file server who are gone' })
  }
}
