import { prepareProcess } from './prepare-process.ts'

prepareProcess()
const { runStart } = await import('./start/serve.ts')
await runStart(process.argv.slice(2))
