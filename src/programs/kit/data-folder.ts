import { mkdirSync } from 'node:fs'
import { codeOf, CommandError } from './command-error.ts'
import { keepInstallation } from './places.ts'

/**
 * Makes the folder that `LATCHKEY_DATA` names the current one. It is created when it is missing.
 *
 * @throws {CommandError} When it can't be used.
 */
export function enterData(): void {
  const folder = process.env['LATCHKEY_DATA']
  if (!folder) return
  keepInstallation()
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    process.chdir(folder)
  } catch (error) {
    throw new CommandError(`Can't use ${folder} (LATCHKEY_DATA) as a folder (${codeOf(error)}).`)
  }
  // A second call, of a command after another one, finds the same folder.
  process.env['LATCHKEY_DATA'] = process.cwd()
}
