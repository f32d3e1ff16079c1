import { DrizzleQueryError } from 'drizzle-orm/errors'
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
    const message = messageOf(error)
    if (message === undefined) throw error
    console.error(message)
    process.exitCode = 1
  }
}

/**
 * What the operator is told of a failure; `undefined` for a fault of ours. Of a failed query only
 * the cause is told: its own message has the parameters, and a password may be among them.
 */
export function messageOf(error: unknown): string | undefined {
  if (error instanceof CommandError) return error.message
  if (error instanceof Refusal)
    return error.detail ? `${error.message} (${error.detail})` : error.message
  return error instanceof DrizzleQueryError ? messageOf(error.cause) : undefined
}
