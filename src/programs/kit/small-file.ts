import { readFileSync, statSync } from 'node:fs'
import { codeOf, CommandError } from './command-error.ts'

/** More than any public key or file of settings takes. */
const MAX_BYTES = 1024 * 1024

/**
 * Reads a text that a command line names: a file, or a pipe such as `<(ssh-keygen -y -f key)`.
 *
 * @throws {CommandError} When it is too large or can't be read.
 */
export function readSmallFile(file: string): string {
  try {
    if (statSync(file).size > MAX_BYTES) throw new CommandError(`${file} is larger than 1 MiB.`)
    return readFileSync(file, 'utf8')
  } catch (error) {
    if (error instanceof CommandError) throw error
    throw new CommandError(`Can't read ${file} (${codeOf(error)}): name a file that you may read.`)
  }
}
