import { chmodSync, lstatSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { codeOf, CommandError } from './command-error.ts'
import { PRODUCTION_FILE } from './dev-vars.ts'
import { OTHERS } from './prepare-process.ts'

const PRIVATE = ['.wrangler', '.dev.vars', PRODUCTION_FILE]

/**
 * Takes from everybody else what earlier versions let them read: data, secrets.
 *
 * @throws {CommandError} When a file belongs to somebody else.
 */
export function narrowPrivateFiles(): void {
  for (const path of PRIVATE) narrow(path)
}

function narrow(path: string): void {
  try {
    const entry = lstatSync(path)
    // What a link leads to may be anything.
    if (entry.isSymbolicLink()) return
    if ((entry.mode & OTHERS) !== 0) chmodSync(path, entry.mode & 0o700)
    if (entry.isDirectory()) for (const name of readdirSync(path)) narrow(join(path, name))
  } catch (error) {
    // Files of a command that runs at the same time come and go.
    if (codeOf(error) === 'ENOENT') return
    if (error instanceof CommandError) throw error
    throw new CommandError(
      `Can't make ${path} private (${codeOf(error)}): make it yours, or remove it.`,
    )
  }
}
