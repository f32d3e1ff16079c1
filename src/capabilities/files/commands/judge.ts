import type { FileServer } from '../../../core/base/file-server.ts'
import type { SiteAddressBindings } from '../../../core/base/site-address.ts'
import { failure, type Finding, good, warning } from '../../../programs/kit/findings.ts'
import { Refusal } from '../../../core/base/refusals.ts'
import type { OriginDeps } from '../origin.ts'
import { listShares } from '../orphan-shares.ts'
import {
  type FileServerProblem,
  type FileServerState,
  OLDEST_OPENLIST,
  readFileServerState,
} from '../state.ts'

/** Longer than the site waits for its own state: a command may have a longer way. */
const STATE_SECONDS = 10

/** Asks the file server for its state, as the site would. */
export function readStateOf(deps: OriginDeps, files: FileServer): Promise<FileServerState> {
  return readFileServerState(deps, files, STATE_SECONDS * 1000)
}

/**
 * Judges whether the sign-in of a second host leads to the accounts. What is wrong with an address
 * that is set, other checks say. `npm start` knows its own address while nobody else reaches it.
 */
export function judgeHosts(
  { host }: FileServer,
  isRemote: boolean,
  set: SiteAddressBindings,
): Finding[] {
  if (host === undefined || set.SITE_ADDRESS || set.ISSUER) return []
  const text = `nobody can sign in at FILES_HOST ${host}: it needs SITE_ADDRESS, or ISSUER`
  const judge = isRemote ? failure : warning
  return [judge('files host', text, 'set SITE_ADDRESS to the address of the accounts')]
}

const COPY_TOKEN =
  'copy “Token” of Manage → Settings → Other at OpenList into FILES_TOKEN; a container that has OPENLIST_DATA reads it again when it is restarted'

/** Of each problem the text, which stands after the address, and the remedy. */
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

/** Judges whether OpenList lists its shares: one of a user who is gone hides those beside it. */
export async function judgeShares(deps: OriginDeps, files: FileServer): Promise<Finding[]> {
  try {
    const { unread } = await listShares(deps, files)
    if (unread === 0) return []
    const text = `OpenList can't list ${unread} shares of users who are gone; the run every five minutes deletes them`
    const fix =
      'if it does not, make a user at OpenList with the id of a deleted one, and delete it'
    return [warning('shares', text, fix)]
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return [warning('shares', 'OpenList gives no list of shares', 'look at the log of OpenList')]
  }
}
