import { enableCompileCache } from 'node:module'
import { join } from 'node:path'

// Without a cache, compiling wrangler takes a second of each command. The cache is in this folder,
// because other users may write to the shared folder for temporary files.
enableCompileCache(join(import.meta.dirname, '../../node_modules/.cache/node'))

const { runProgram } = await import('./program.ts')
await runProgram(process.argv)
