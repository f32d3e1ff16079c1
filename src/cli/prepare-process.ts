import { enableCompileCache } from 'node:module'
import { join } from 'node:path'

/** The permission bits of users other than the owner of a file. */
export const OTHERS = 0o077

/** Makes new files of this process and its children private to this user. */
export function writePrivately(): void {
  process.umask(OTHERS)
}

/**
 * Prepares a program before it loads other code. Other users must not be able to add code to its
 * compile cache.
 */
export function prepareProcess(): void {
  writePrivately()
  // Without the cache, compiling Wrangler and Miniflare takes seconds at each start. The cache is not in
  // the common folder for temporary files, where other users may write.
  enableCompileCache(join(import.meta.dirname, '../../node_modules/.cache/node'))
}
