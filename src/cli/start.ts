import { enableCompileCache } from 'node:module'
import { join } from 'node:path'

// Wrangler and Miniflare are large: compiled anew at each start, they would take seconds. Here and
// not in the common folder for temporary files, where others may write.
enableCompileCache(join(import.meta.dirname, '../../node_modules/.cache/node'))

const { runStart } = await import('./start/serve.ts')
await runStart(process.argv.slice(2))
