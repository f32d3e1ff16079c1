import { SHARED_LOOK } from '../../core/base/settings-elsewhere.ts'
import { agrees } from '../kit/confirm.ts'
import { CommandError, UsageError } from '../kit/command-error.ts'
import { addDevVar, DEV_VARS_FILE, readLocalVars } from '../site/dev-vars.ts'
import { latchkey } from '../kit/printed-command.ts'
import { findFileServer } from '../site/file-server.ts'
import type { Source } from './source.ts'

/**
 * A token that needs no quotes in a file of variables. The token may come from anybody's database,
 * and must add no other line.
 */
const TOKEN = /^[\w.~+/=-]{1,256}$/

/** Says what settings of OpenList have to be changed before it is behind this site. */
export function fileServerWarnings(source: Source): string[] {
  if (!isOpenList(source)) return []
  const [signs, headers] = ['sign_all', 'proxy_ignore_headers'].map((key) => valueOf(source, key))
  return [
    ...(signs === undefined || signs === 'true'
      ? []
      : [
          'sign_all is off: behind this site, links to files are refused until it is on at OpenList (docs/files.md)',
        ]),
    ...(headers === undefined || headers.split(',').includes('authorization')
      ? []
      : [
          'proxy_ignore_headers has no “authorization”: OpenList sends its token to the servers of storages; set it to authorization,referer there, and reset the token',
        ]),
  ]
}

/**
 * Finds the token of OpenList, and checks that it can be taken over.
 *
 * @throws {UsageError} On the deployed site, whose secrets wrangler sets.
 * @throws {CommandError} When the file has none, or another one is set here already.
 */
export function needFilesToken(source: Source, isRemote: boolean): string {
  if (isRemote)
    throw new UsageError(
      '--files-token writes .dev.vars of the local site; for the deployed one, use npx wrangler secret put FILES_TOKEN.',
    )
  const token = filesTokenIn(source)
  if (token === undefined)
    throw new CommandError('The file has no token of OpenList. Leave --files-token out.')
  const present = presentToken()
  if (present !== undefined && present !== token)
    throw new CommandError(
      `FILES_TOKEN is set already, and is another one than in this file. Nothing was imported: remove it from ${DEV_VARS_FILE} first, or leave --files-token out.`,
    )
  return token
}

/** Asks on a terminal whether the token is to be taken over, where none is set here. */
export async function offerFilesToken(source: Source): Promise<boolean> {
  const token = filesTokenIn(source)
  if (token === undefined || presentToken() !== undefined) return false
  if (!process.stdin.isTTY) return false
  const question = `Write the token of OpenList into ${DEV_VARS_FILE}, as FILES_TOKEN? This site can then stand in front of it.`
  if (!(await agrees(question))) return false
  takeFilesToken(token)
  return true
}

/** Writes the token into `.dev.vars`, unless it is set already. */
export function takeFilesToken(token: string): void {
  if (presentToken() === undefined) addDevVar('FILES_TOKEN', token)
}

/** Says how it goes on when OpenList is to be behind this site. */
export async function nextSteps(source: Source, isTokenWritten: boolean): Promise<string[]> {
  if (!isOpenList(source)) return nextOfLook(source)
  const hasToken = isTokenWritten || presentToken() !== undefined
  const token = hasToken
    ? isTokenWritten
      ? [`FILES_TOKEN is in ${DEV_VARS_FILE}: start the site anew.`]
      : []
    : filesTokenIn(source) === undefined
      ? []
      : ['To take its token over: the same command with --files-token.']
  return [
    ...token,
    `Next, to put this site in front of OpenList (docs/files.md): ${latchkey('files', 'check')}`,
  ]
}

/** The look of another Latchkey is written here only: its file server may be another one. */
async function nextOfLook({ settings }: Source): Promise<string[]> {
  const hasLook = settings.some(({ key }) => SHARED_LOOK.some((name) => name === key))
  if (!hasLook || (await findFileServer(false)) === undefined) return []
  return [
    `Next: OpenList keeps its title, logo, colour and announcement. ${latchkey('files', 'check')} says where they differ; save the page Site settings, or ${latchkey('setting', 'set')}, to have these at both.`,
  ]
}

function isOpenList({ kind }: Source): boolean {
  return kind === 'database' || kind === 'backup'
}

function filesTokenIn(source: Source): string | undefined {
  const token = isOpenList(source) ? valueOf(source, 'token') : undefined
  return token !== undefined && TOKEN.test(token) ? token : undefined
}

function presentToken(): string | undefined {
  return readLocalVars()['FILES_TOKEN'] || undefined
}

function valueOf({ settings }: Source, name: string): string | undefined {
  const value = settings.find(({ key }) => key === name)?.['value']
  return typeof value === 'string' ? value : undefined
}
