import type { FileServer } from '../../core/base/file-server.ts'
import type { Deps } from '../../core/deps.ts'
import { type WriterDeps as FolderDeps, type Written, writeFolders, writeRest } from './writer.ts'

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

/** Writes the first folders now, and the others after the answer. */
export async function writeFirst(deps: WriterDeps, files: FileServer): Promise<Written> {
  const written = await writeFolders(deps, files)
  if (written.waiting > 0) deps.defer(writeRest({ ...deps, db: deps.backgroundDb }, files))
  return written
}
