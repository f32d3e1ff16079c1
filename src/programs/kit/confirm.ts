import { createInterface } from 'node:readline/promises'
import { CommandError, UsageError } from './command-error.ts'
import { takes } from './declaration.ts'

/** The option that answers a question before it is asked. */
export const YES = takes('--yes', 'do not ask', '不再询问')

/** @throws {UsageError} When there is no terminal. */
export function needTerminal(): void {
  if (!process.stdin.isTTY)
    throw new UsageError('There is no terminal for a question: confirm with --yes.')
}

/**
 * Asks before an action that can't be undone.
 *
 * @throws {CommandError} When the answer is not yes.
 */
export async function confirm(question: string): Promise<void> {
  if (!(await agrees(question))) throw new CommandError('Nothing was changed.')
}

/** Asks a question on the terminal; only `y` or `yes` agrees. */
export async function agrees(question: string): Promise<boolean> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  try {
    const answer = await terminal.question(`${question} [y/N] `)
    return /^y(es)?$/i.test(answer.trim())
  } finally {
    terminal.close()
  }
}
