import { DrizzleQueryError } from 'drizzle-orm/errors'
import { Refusal } from '../base/refusals.ts'

/** A failure that the operator can fix; the operator sees only its message. */
export class CommandError extends Error {
  override readonly name = 'CommandError'
}

/** A wrong command line. */
export class UsageError extends CommandError {}

/**
 * Runs a command and sets the exit code: 0 done, 1 refused or failed, 2 wrong command line. With
 * `--json`, a failure is JSON too, on the error output.
 */
export async function runCommand(command: () => Promise<void>): Promise<void> {
  try {
    await command()
  } catch (error) {
    const message = messageOf(error)
    if (message === undefined) throw error
    const isJson = process.argv.includes('--json')
    console.error(isJson ? JSON.stringify({ error: message }) : message)
    process.exitCode = error instanceof UsageError ? 2 : 1
  }
}

/**
 * Returns the message for the operator; `undefined` for a bug. Of a failed query only the cause is
 * shown: its own message has the parameters, and a password may be among them.
 */
export function messageOf(error: unknown): string | undefined {
  if (error instanceof CommandError) return error.message
  if (error instanceof DrizzleQueryError) return messageOf(error.cause)
  if (!(error instanceof Refusal)) return undefined
  const { message, detail } = error
  if (isUnmigrated(detail)) {
    return `The database is missing, or older than this code: run npm start first, or npm run deploy for the deployed site (${detail}).`
  }
  return detail === '' ? message : `${message} (${detail})`
}

/** Tells whether a message of SQLite means that a migration has not run. */
function isUnmigrated(detail: string): boolean {
  return /no such (?:table|column)|has no column named/.test(detail)
}

/** Returns the operating system's code of a failure, such as `ENOENT`. */
export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unknown error'
}
