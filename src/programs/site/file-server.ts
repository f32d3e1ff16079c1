import { existsSync } from 'node:fs'
import {
  type FileServer,
  type FileServerBindings,
  parseFileServer,
} from '../../core/base/file-server.ts'
import { filesAnswerSchema } from './local-data.ts'
import { CommandError } from '../kit/command-error.ts'
import { DEV_VARS_FILE, PRODUCTION_FILE, productionFile, readVarsFile } from './dev-vars.ts'
import { askRunningSite, isSiteRunning } from './running-site.ts'
import { readVars } from './site-config.ts'

/** The secrets of a file server. */
const SECRETS = ['FILES_TOKEN', 'FILES_HEADERS'] as const

/**
 * Finds the file server behind a site. A local site that runs is asked, because only it knows what
 * `npm start -- --files` was told; otherwise it is what `npm start` or the deployment would read.
 *
 * @param origin An address that the operator names; it replaces that of the site.
 * @returns `undefined` when none is set. With a `problem` when a setting is wrong.
 */
export async function findFileServer(
  isRemote: boolean,
  origin?: string,
): Promise<FileServer | undefined> {
  const running = isRemote ? undefined : await askForFiles()
  const bindings = running?.FILES_ORIGIN ? running : await readBindings(isRemote)
  return parseFileServer({ ...bindings, ...(origin !== undefined && { FILES_ORIGIN: origin }) })
}

/**
 * Like `findFileServer`, for a command that needs it.
 *
 * @throws {CommandError} When no file server is set, or a setting is wrong.
 */
export async function readFileServer(isRemote: boolean, origin?: string): Promise<FileServer> {
  const files = await findFileServer(isRemote, origin)
  if (files === undefined)
    throw new CommandError(
      'This site has no file server: name it with --files, or set FILES_ORIGIN (docs/files.md).',
    )
  if (files.problem === undefined) return files
  const where = isRemote ? `the environment or ${PRODUCTION_FILE}` : DEV_VARS_FILE
  throw new CommandError(`${files.problem}. The secrets are read from ${where}.`)
}

/** @returns `undefined` while the local site does not run. */
async function askForFiles(): Promise<FileServerBindings | undefined> {
  if (!(await isSiteRunning())) return undefined
  return askRunningSite('files', filesAnswerSchema)
}

async function readBindings(isRemote: boolean): Promise<FileServerBindings> {
  const vars = Object.entries(await readVars(isRemote)).filter(
    (entry): entry is [string, string] => entry[0].startsWith('FILES_') && entry[1] !== '',
  )
  const place = isRemote ? productionFile() : DEV_VARS_FILE
  const secrets = existsSync(place) ? readVarsFile(place) : {}
  const set = SECRETS.flatMap((name) => {
    const value = process.env[name] ?? secrets[name]
    return value ? [[name, value]] : []
  })
  return Object.fromEntries([...vars, ...set])
}
