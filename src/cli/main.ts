import { enableCompileCache } from 'node:module'
import { join } from 'node:path'

// Wrangler is large: compiled anew at each command, it would take a second more. Here and not in the
// common folder for temporary files, where others may write.
enableCompileCache(join(import.meta.dirname, '../../node_modules/.cache/node'))

const { runProgram } = await import('./program.ts')
await runProgram(process.argv)
