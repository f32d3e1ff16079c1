import { prepareProcess } from './prepare-process.ts'

prepareProcess()
const { runProgram } = await import('./program.ts')
await runProgram(process.argv)
