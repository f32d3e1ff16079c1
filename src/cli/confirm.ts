import { createInterface } from 'node:readline/promises'
import { CommandError, UsageError } from './command-error.ts'

/**
 * Asks before something that can't be undone.
 *
 * @throws {CommandError} When the answer is not yes, or nobody can be asked.
 */
export async function confirm(question: string): Promise<void> {
  if (!process.stdin.isTTY) throw new UsageError('There is no terminal to ask: confirm with --yes.')
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  try {
    const answer = await terminal.question(`${question} [y/N] `)
    if (/^y(es)?$/i.test(answer.trim())) return
  } finally {
    terminal.close()
  }
  throw new CommandError('Nothing was changed.')
}
