import { writePrivately } from './kit/prepare-process.ts'

writePrivately()
// A reader such as `head` closes the pipe when it has seen enough.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
  process.exit()
})
const { runProgram } = await import('./program.ts')
await runProgram(process.argv)
