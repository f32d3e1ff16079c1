import { closeSync, openSync, rmSync } from 'node:fs'
import { codeOf, CommandError } from './command-error.ts'

/**
 * Writes a new file that only its owner can read. A file that SQLite creates is readable by all.
 *
 * @param write Fills the empty file; when it fails, the file goes.
 * @throws {CommandError} When the file exists already, or can't be written.
 */
export function writeNewFile(file: string, write: () => void): void {
  try {
    closeSync(openSync(file, 'wx', 0o600))
  } catch (error) {
    const code = codeOf(error)
    throw new CommandError(
      code === 'EEXIST'
        ? `${file} exists already: name another file.`
        : `Can't write ${file} (${code}).`,
    )
  }
  try {
    write()
  } catch (error) {
    rmSync(file, { force: true })
    throw error
  }
}
