import { existsSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'

/*
 * The installation holds what a version brings: wrangler.toml, migrations, assets. The data of a site
 * are in the current folder: .wrangler, .dev.vars, backups. In a checkout both are one folder, unless
 * LATCHKEY_DATA names another one for the data. `npm run pack` makes an installation that needs Node
 * alone.
 */

/** In a pack: the Worker, and Miniflare's options for it. */
export const PACKED_WORKER = 'worker.json'
/** In a pack: the statements of each migration, by its file name. */
export const PACKED_MIGRATIONS = 'migrations.json'
/** In a pack: the programs that were built. */
export const PACKED_PROGRAMS = 'programs'

const pack = findPack(import.meta.dirname)
let installation = pack ?? '.'

/** Finds the pack of a program from the folder of its code; `undefined` in a checkout. */
function findPack(folder: string): string | undefined {
  const parent = dirname(folder)
  if (parent === folder) return undefined
  const isPack = basename(folder) === PACKED_PROGRAMS && existsSync(join(parent, PACKED_WORKER))
  return isPack ? parent : findPack(parent)
}

/** Tells whether this is an installation that `npm run pack` has made: it has no wrangler. */
export function isPacked(): boolean {
  return pack !== undefined
}

/** @returns The path of a file of the installation; relative where it is the current folder. */
export function installed(path: string): string {
  return join(installation, path)
}

/** Lets the current folder change: the installation stays where it is. */
export function keepInstallation(): void {
  installation = resolve(installation)
}
