import { DrizzleQueryError } from 'drizzle-orm/errors'
import { Refusal } from '../base/refusals.ts'

/** A failure the operator can mend; its message is all they are shown. */
export class CommandError extends Error {
  override readonly name = 'CommandError'
}

/** The command line itself is wrong: there is nothing to try again. */
export class UsageError extends CommandError {}

/**
 * Runs a command to its end; the exit code says how it went: 0 done, 1 refused or failed, 2 wrongly
 * used.
 */
export async function runCommand(command: () => Promise<void>): Promise<void> {
  try {
    await command()
  } catch (error) {
    const message = messageOf(error)
    if (message === undefined) throw error
    console.error(message)
    process.exitCode = error instanceof UsageError ? 2 : 1
  }
}

/**
 * What the operator is told of a failure; `undefined` for a fault of ours. Of a failed query only
 * the cause is told: its own message has the parameters, and a password may be among them.
 */
export function messageOf(error: unknown): string | undefined {
  if (error instanceof CommandError) return error.message
  if (error instanceof DrizzleQueryError) return messageOf(error.cause)
  if (!(error instanceof Refusal)) return undefined
  const { message, detail } = error
  if (isUnmigrated(detail)) {
    return `There is no database here yet, or it is older than this code: run npm start first, or npm run deploy for the deployed site (${detail}).`
  }
  return detail === '' ? message : `${message} (${detail})`
}

/** SQLite says so when a migration has not run. */
function isUnmigrated(detail: string): boolean {
  return /no such (?:table|column)|has no column named/.test(detail)
}

/** What the operating system calls a failure, as in `ENOENT`. */
export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unknown error'
}
