import { existsSync } from 'node:fs'
import { type FileServer, parseFileServer } from '../../../base/file-server.ts'
import { CommandError } from '../../shared/command-error.ts'
import { readVars } from '../../site/site-config.ts'
import { DEV_VARS_FILE, PRODUCTION_FILE, readVarsFile } from '../../site/dev-vars.ts'

/** The secrets of a file server. */
const SECRETS = ['FILES_TOKEN', 'FILES_HEADERS'] as const

/**
 * Reads the settings of the file server behind a site.
 *
 * @param origin The address that `npm start -- --files` was given, which nothing stores.
 * @throws {CommandError} When no file server is set, or a setting is wrong.
 */
export async function readFileServer(isRemote: boolean, origin?: string): Promise<FileServer> {
  const vars = Object.entries(await readVars(isRemote)).filter(
    (entry): entry is [string, string] => entry[0].startsWith('FILES_') && entry[1] !== '',
  )
  const place = isRemote ? PRODUCTION_FILE : DEV_VARS_FILE
  const secrets = existsSync(place) ? readVarsFile(place) : {}
  const set = SECRETS.flatMap((name) => {
    const value = process.env[name] ?? secrets[name]
    return value ? [[name, value]] : []
  })
  const files = parseFileServer({
    ...Object.fromEntries([...vars, ...set]),
    ...(origin !== undefined && { FILES_ORIGIN: origin }),
  })
  if (files === undefined)
    throw new CommandError(
      'This site has no file server: name it with --files, or set FILES_ORIGIN (docs/files.md).',
    )
  if (files.problem === undefined) return files
  const where = isRemote ? `the environment or ${place}` : place
  throw new CommandError(`${files.problem}. The secrets are read from ${where}.`)
}
