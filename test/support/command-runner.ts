import { registerHooks } from 'node:module'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import { pathToFileURL } from 'node:url'
import * as v from 'valibot'
import type * as PrepareProcess from '../../src/programs/kit/prepare-process.ts'
import type * as Program from '../../src/programs/program.ts'

const commandSchema = v.object({
  folder: v.string(),
  words: v.optional(v.array(v.string())),
  input: v.optional(v.string(), ''),
})

const [, , sources = ''] = process.argv
const importOwn = (module: string) => import(pathToFileURL(join(sources, module)).href)
const keptData = new URL('kept-data.ts', import.meta.url).href
/** Whether a command has loaded `kept-data.ts`, and with it Miniflare. */
let isKeptLoaded = false
registerHooks({
  resolve(name, context, next) {
    // By whichever module a command opens its data.
    const isOfCommand = name.endsWith('/local-site.ts') && context.parentURL !== keptData
    if (isOfCommand) isKeptLoaded = true
    return next(isOfCommand ? keptData : name, context)
  },
})
const { writePrivately }: typeof PrepareProcess = await importOwn('programs/kit/prepare-process.ts')
const { runProgram }: typeof Program = await importOwn('programs/program.ts')

writePrivately()

/**
 * Runs `latchkey` commands one after another in one process, because loading Miniflare takes longer
 * than most of them. Each line of the standard input holds, as JSON, the folder, the words and the
 * standard input of a command; without words, nothing of the folder is to stay open. The only
 * argument is the folder of the sources. After each it prints, to both outputs, its number and exit
 * code.
 */
let number = 0
for await (const line of createInterface({ input: process.stdin })) {
  process.exitCode = 0
  const { folder, words, input } = v.parse(commandSchema, JSON.parse(line))
  if (words === undefined) await closeKept()
  else {
    process.chdir(folder)
    const stdin = Readable.from([Buffer.from(input)])
    Object.defineProperty(process, 'stdin', { configurable: true, value: stdin })
    await runProgram(['node', 'latchkey', ...words])
  }
  const end = `command ${++number} exits with ${process.exitCode}.`
  console.log(end)
  console.error(end)
}
await closeKept()
process.exitCode = 0

async function closeKept(): Promise<void> {
  if (!isKeptLoaded) return
  const { closeLocalData } = await import('./kept-data.ts')
  await closeLocalData()
}
