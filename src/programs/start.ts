import { writePrivately } from './kit/prepare-process.ts'

writePrivately()
// A log that can't be written, on a full disk or into a closed pipe, ends no site.
process.stderr.on('error', () => undefined)
process.stdout.once('error', (error: NodeJS.ErrnoException) => {
  console.error(
    `The log can't be written (${error.code ?? error.message}): the site goes on without it.`,
  )
})
process.stdout.on('error', () => undefined)
const { runStart } = await import('./start/serve.ts')
await runStart(process.argv.slice(2))
