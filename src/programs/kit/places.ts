import { existsSync, mkdirSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { CommandError, codeOf } from './command-error.ts'

/*
 * The installation holds what a version brings: wrangler.toml, migrations, assets. The data of a site
 * are in the current folder: .wrangler, .dev.vars, backups. In a checkout both are one folder, unless
 * LATCHKEY_DATA names another one for the data.
 */

/** In a pack (`npm run pack`): the Worker, and Miniflare's options for it. */
export const PACKED_WORKER = 'worker.json'
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

/**
 * Makes the folder that `LATCHKEY_DATA` names the current one. It is created when it is missing.
 *
 * @throws {CommandError} When it can't be used.
 */
export function enterData(): void {
  const folder = process.env['LATCHKEY_DATA']
  if (!folder) return
  installation = resolve(installation)
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    process.chdir(folder)
  } catch (error) {
    throw new CommandError(`Can't use ${folder} (LATCHKEY_DATA) as a folder (${codeOf(error)}).`)
  }
  // A second call, of a command after another one, finds the same folder.
  process.env['LATCHKEY_DATA'] = process.cwd()
}
