import { Refusal } from '../refusals.ts'

/** A failure the operator can mend; its message is all they are shown. */
export class CommandError extends Error {
  override readonly name = 'CommandError'
}

/** Runs a command to its end; the exit code says how it went. */
export async function runCommand(command: () => Promise<void>): Promise<void> {
  try {
    await command()
  } catch (error) {
    if (!(error instanceof CommandError || error instanceof Refusal)) throw error
    const detail = error instanceof Refusal && error.detail ? ` (${error.detail})` : ''
    console.error(`${error.message}${detail}`)
    process.exitCode = 1
  }
}
