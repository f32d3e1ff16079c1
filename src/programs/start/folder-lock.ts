import { lstatSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { codeOf, CommandError } from '../kit/command-error.ts'

const FOLDER = '.wrangler'
const LOCK = `${FOLDER}/latchkey.lock`
/** The process that has the lock. It isn't in the lock, which nobody else can read. */
const HOLDER = `${FOLDER}/latchkey.pid`

/** @see https://www.sqlite.org/rescode.html */
const SQLITE_BUSY = 5

/**
 * Makes sure that one `npm start` at a time works in this folder. SQLite locks an empty file,
 * because the system ends such a lock together with the process, however that ends; Node has no
 * other.
 *
 * @returns A function that ends the lock.
 * @throws {CommandError} When another start has the lock, or the folder can't be used.
 */
export function lockFolder(): () => void {
  makeFolder()
  try {
    refuseLink(LOCK)
    const lock = new DatabaseSync(LOCK, { timeout: 0 })
    lock.exec('begin exclusive')
    // A link there would lead to a file that is overwritten.
    rmSync(HOLDER, { force: true })
    writeFileSync(HOLDER, `${process.pid}\n`, { flag: 'wx' })
    return () => {
      rmSync(HOLDER, { force: true })
      lock.close()
    }
  } catch (error) {
    throw new CommandError(
      isBusy(error)
        ? `Another start${describeHolder()} serves the site of this folder, or prepares it: stop that one first, or use another folder for another site.`
        : `Can't lock ${LOCK} (${messageOrCode(error)}): remove that file, which holds nothing, then start again.`,
    )
  }
}

/** Earlier versions let other users write to the folder, and SQLite follows links. */
function refuseLink(path: string): void {
  const entry = lstatSync(path, { throwIfNoEntry: false })
  if (entry?.isSymbolicLink()) throw new Error('it is a link')
}

/**
 * Names the process, unless its file is missing or was left by one that has ended. A number that is
 * this process's own is of another container.
 */
function describeHolder(): string {
  try {
    const pid = Number(readFileSync(HOLDER, 'utf8').trim())
    if (!Number.isInteger(pid) || pid <= 0 || pid === process.pid) return ''
    process.kill(pid, 0)
    return ` (process ${pid})`
  } catch {
    return ''
  }
}

function makeFolder(): void {
  try {
    mkdirSync(FOLDER, { recursive: true })
  } catch (error) {
    throw new CommandError(
      `Can't use ${FOLDER} here as a folder (${codeOf(error)}): move it away, then start again.`,
    )
  }
}

function messageOrCode(error: unknown): string {
  return error instanceof Error ? error.message : codeOf(error)
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && error.errcode === SQLITE_BUSY
}
