import { chmodSync, lstatSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { codeOf, CommandError } from '../kit/command-error.ts'
import { productionFile } from './dev-vars.ts'
import { BACKUP_FOLDER } from './upgrade-backup.ts'
import { OTHERS } from '../kit/prepare-process.ts'

function privatePaths(): string[] {
  return ['.wrangler', '.dev.vars', BACKUP_FOLDER, productionFile()]
}

/**
 * Makes data and secrets private to this user; earlier versions let other users read them.
 *
 * @throws {CommandError} When a file belongs to another user.
 */
export function narrowPrivateFiles(): void {
  for (const path of privatePaths()) narrow(path)
}

/** Later writes follow links. Links in the folder of the site are its owner's. */
function refuseForeignLink(path: string, owner: number): void {
  const self = process.getuid?.()
  const isOurs = self === undefined || owner === self || privatePaths().includes(path)
  if (!isOurs) throw new CommandError(`${path} is a link that another user made: remove it.`)
}

function narrow(path: string): void {
  try {
    const entry = lstatSync(path)
    // The target of a link may be any file.
    if (entry.isSymbolicLink()) return refuseForeignLink(path, entry.uid)
    if ((entry.mode & OTHERS) !== 0) chmodSync(path, entry.mode & 0o700)
    if (entry.isDirectory()) for (const name of readdirSync(path)) narrow(join(path, name))
  } catch (error) {
    // A command that runs at the same time creates and deletes files.
    if (codeOf(error) === 'ENOENT') return
    if (error instanceof CommandError) throw error
    throw new CommandError(
      `Can't make ${path} private (${codeOf(error)}): change its owner to yourself, or remove it.`,
    )
  }
}
