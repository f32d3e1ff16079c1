import { Refusal } from '../refusals.ts'

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
    console.error(sayWhy(error))
    process.exitCode = error instanceof UsageError ? 2 : 1
  }
}

/** @throws What nobody foresaw, with its stack. */
function sayWhy(error: unknown): string {
  if (error instanceof CommandError) return error.message
  const refusal = refusalIn(error)
  if (refusal === undefined) throw error
  const { message, detail } = refusal
  if (isUnmigrated(detail)) {
    return `There is no database here yet, or it is older than this code: run npm start first, it makes and updates it (${detail}).`
  }
  return detail === '' ? message : `${message} (${detail})`
}

/** Drizzle wraps what its database throws. */
function refusalIn(error: unknown): Refusal | undefined {
  if (error instanceof Refusal) return error
  return error instanceof Error && error.cause instanceof Refusal ? error.cause : undefined
}

/** SQLite says so when a migration has not run. */
function isUnmigrated(detail: string): boolean {
  return /no such (?:table|column)|has no column named/.test(detail)
}
