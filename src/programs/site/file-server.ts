import { existsSync } from 'node:fs'
import * as v from 'valibot'
import {
  type FileServer,
  type FileServerBindings,
  parseFileServer,
} from '../../core/base/file-server.ts'
import {
  type FileServerProblem,
  type FileServerState,
  OLDEST_OPENLIST,
  readFileServerState,
} from '../../capabilities/files/state.ts'
import type { OriginDeps } from '../../capabilities/files/origin.ts'
import { filesAnswerSchema } from './local-data.ts'
import { CommandError } from '../kit/command-error.ts'
import { failure, type Finding, good, warning } from '../kit/findings.ts'
import { DEV_VARS_FILE, PRODUCTION_FILE, productionFile, readVarsFile } from './dev-vars.ts'
import { askSite, isSiteRunning } from './running-site.ts'
import { readVars } from './site-config.ts'

/** The secrets of a file server. */
const SECRETS = ['FILES_TOKEN', 'FILES_HEADERS'] as const

/** Longer than the site waits for its own state: a command may have a longer way. */
const STATE_SECONDS = 10

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
  const told = isRemote ? undefined : await askForFiles()
  const bindings = told?.FILES_ORIGIN ? told : await readBindings(isRemote)
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
  return v.parse(filesAnswerSchema, await askSite({ ask: 'files' }))
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

/** Asks the file server for its state, as the site would. */
export function readStateOf(deps: OriginDeps, files: FileServer): Promise<FileServerState> {
  return readFileServerState(deps, files, STATE_SECONDS * 1000)
}

const COPY_TOKEN = 'copy “Token” of Manage → Settings → Other at OpenList into FILES_TOKEN'

/** What a problem is called after the address, and what to do. */
const PROBLEMS: Record<FileServerProblem, [text: string, fix: string]> = {
  not_set_up: ['is not used, because a setting is missing or wrong', 'docs/files.md, Settings'],
  no_answer: ['does not answer', 'start OpenList, and set FILES_ORIGIN to its address'],
  slow: [`took longer than ${STATE_SECONDS} seconds to answer`, 'look at the load of its machine'],
  no_openlist: ['gives no answer of OpenList', 'set FILES_ORIGIN to the address of OpenList'],
  wrong_token: ['refuses FILES_TOKEN', COPY_TOKEN],
  empty_token: [
    'has an empty token, so everybody is its admin',
    'reset the token at OpenList, and set FILES_TOKEN to it',
  ],
  old: [`is older than ${OLDEST_OPENLIST}`, 'update OpenList'],
}

/** Judges whether the file server works. */
export function judgeFileServer({ origin }: FileServer, state: FileServerState): Finding {
  const check = 'file server'
  const { problem, detail } = state
  // A release also names its commit and its web client there.
  const [version = ''] = state.version.split(' ')
  if (problem === undefined)
    return good(check, `${origin} is OpenList ${version}, and takes FILES_TOKEN`)
  const [text, fix] = PROBLEMS[problem]
  const more = problem === 'old' ? `OpenList ${version}` : detail
  return failure(check, `${origin} ${text}${more === '' ? '' : `: ${more}`}`, fix)
}

/** Judges what becomes of links to files, where the file server works. */
export function judgeLinks({ links }: FileServerState): Finding {
  const check = 'links'
  if (links === 'signed') return good(check, 'OpenList signs the links to files')
  const text =
    links === 'open'
      ? 'sign_all is off at OpenList and FILES_OPEN_LINKS is on: a file opens to everybody who knows its path'
      : 'sign_all is off at OpenList: its links have no signature, and this site refuses them'
  return warning(check, text, 'turn on “Sign all” of Manage → Settings → Global at OpenList')
}
