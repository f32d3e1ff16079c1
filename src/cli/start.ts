import { enableCompileCache } from 'node:module'
import { join } from 'node:path'

// Without a cache, compiling wrangler and Miniflare takes seconds of each start. The cache is in this
// folder, because other users may write to the shared folder for temporary files.
enableCompileCache(join(import.meta.dirname, '../../node_modules/.cache/node'))

const { runStart } = await import('./start/serve.ts')
await runStart(process.argv.slice(2))
