import { enableCompileCache } from 'node:module'
import { join } from 'node:path'

/** What users other than this one may do with a file. */
export const OTHERS = 0o077

/** What this process and its children write from now on is for this user alone. */
export function writePrivately(): void {
  process.umask(OTHERS)
}

/**
 * What a program does before it loads anything else: others must not be able to put code of theirs
 * among the code that it keeps compiled.
 */
export function prepareProcess(): void {
  writePrivately()
  // Wrangler and Miniflare are large: compiled anew at each start, they would take seconds. Here and
  // not in the common folder for temporary files, where others may write.
  enableCompileCache(join(import.meta.dirname, '../../node_modules/.cache/node'))
}
