import { createInterface } from 'node:readline/promises'
import { CommandError, UsageError } from '../command-error.ts'

/** @throws {UsageError} When nobody can be asked. */
export function needTerminal(): void {
  if (!process.stdin.isTTY) throw new UsageError('There is no terminal to ask: confirm with --yes.')
}

/**
 * Asks before something that can't be undone.
 *
 * @throws {CommandError} When the answer is not yes.
 */
export async function confirm(question: string): Promise<void> {
  if (!(await agrees(question))) throw new CommandError('Nothing was changed.')
}

/** Asks on the terminal. */
export async function agrees(question: string): Promise<boolean> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  try {
    const answer = await terminal.question(`${question} [y/N] `)
    return /^y(es)?$/i.test(answer.trim())
  } finally {
    terminal.close()
  }
}
