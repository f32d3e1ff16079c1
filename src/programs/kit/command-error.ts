import { accessSync, constants, statfsSync } from 'node:fs'
import { DrizzleQueryError } from 'drizzle-orm/errors'
import { Refusal, refusalIn, type RefusalName } from '../../core/base/refusals.ts'
import { terminalJson, visibleLines } from '../../core/base/text.ts'
import { saidHere } from './printed-command.ts'

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
    const trouble = diskTrouble(error) ?? messageOf(error)
    if (trouble === undefined) throw error
    const message = saidHere(trouble)
    console.error(isJson() ? terminalJson({ error: message }) : visibleLines(message))
    process.exitCode = error instanceof UsageError ? 2 : 1
  }
}

/** Whether the command line asks for JSON; it may be one that can't be read. */
export function isJson(): boolean {
  return process.argv.includes('--json')
}

const DISK_FULL = 'The disk is full: make room, then run this again. What was saved is safe.'
const READ_ONLY =
  "The data of this site can't be written, because its disk or folder is read-only: change that, then run this again."

/** A disk with less free space than this is full for SQLite, which writes a journal first. */
const FULL_BYTES = 64 * 1024

/**
 * Explains a failure by the disk. The operating system and SQLite each report it in words of their
 * own; workerd hides the words behind a reference.
 *
 * @returns `undefined` when the disk is not the reason.
 */
function diskTrouble(error: unknown): string | undefined {
  const text = reasonsOf(error)
  if (/ENOSPC|EDQUOT|SQLITE_FULL|disk is full/.test(text)) return DISK_FULL
  if (/EROFS|SQLITE_READONLY|readonly database/.test(text)) return READ_ONLY
  if (!/internal error; reference|disk I\/O error|unable to open database/.test(text))
    return undefined
  if (isDiskFull()) return DISK_FULL
  return isReadOnly() ? READ_ONLY : undefined
}

/** Tells whether this folder's disk has no room for a change. */
function isDiskFull(): boolean {
  const { bavail, bsize } = statfsSync('.')
  return bavail * bsize < FULL_BYTES
}

function isReadOnly(): boolean {
  try {
    accessSync('.', constants.W_OK)
    return false
  } catch {
    return true
  }
}

/** Returns the messages of an error and of what has caused it. */
function reasonsOf(error: unknown): string {
  if (!(error instanceof Error)) return ''
  const detail = error instanceof Refusal ? error.detail : ''
  return [error.message, detail, reasonsOf(error.cause)].join('\n')
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

/**
 * Waits for a decision, and says in words of the command line what its refusals mean.
 *
 * @param texts The messages, by the refusal. Every other error stays.
 * @throws {CommandError} For a refusal that has a message.
 */
export async function explained<Result>(
  decision: Promise<Result>,
  texts: Partial<Record<RefusalName, string>>,
): Promise<Result> {
  try {
    return await decision
  } catch (error) {
    const text = error instanceof Refusal ? texts[error.refusal] : undefined
    throw text === undefined ? error : new CommandError(text)
  }
}

/** Returns what a failed decision knows: the detail of its refusal, else its message. */
export function reasonIn(error: unknown): string {
  const { detail, message } = refusalIn(error)
  return detail === '' ? message : detail
}

/** Returns the operating system's code of a failure, such as `ENOENT`. */
export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unknown error'
}
