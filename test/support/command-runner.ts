import { createInterface } from 'node:readline'
import * as v from 'valibot'
import { runProgram } from '../../src/cli/program.ts'

const wordsSchema = v.array(v.string())

/**
 * Runs `latchkey` commands one after another in one process, because loading wrangler takes longer
 * than most of them: each line of the standard input holds the words of a command, as JSON. After
 * each it prints its number and exit code.
 */
let number = 0
for await (const line of createInterface({ input: process.stdin })) {
  process.exitCode = 0
  await runProgram(['node', 'latchkey', ...v.parse(wordsSchema, JSON.parse(line))])
  console.log(`command ${++number} exits with ${process.exitCode}.`)
}
process.exitCode = 0
