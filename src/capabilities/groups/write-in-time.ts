import type { Deps } from '../../core/deps.ts'
import { type WriterDeps as FolderDeps, writeFolders, writeRest } from './writer.ts'

export type WriterDeps = FolderDeps & Pick<Deps, 'defer' | 'fileServer' | 'backgroundDb'>

/**
 * Writes folders to the file server after a change of rules or members: the first ones before the
 * answer, the others after it.
 *
 * @returns The number of folders that wait. 0 where there is no file server.
 */
export async function writeInTime(deps: WriterDeps): Promise<number> {
  const files = deps.fileServer()
  if (files === undefined) return 0
  const { waiting } = await writeFolders(deps, files)
  if (waiting > 0) deps.defer(writeRest({ ...deps, db: deps.backgroundDb }, files))
  return waiting
}
