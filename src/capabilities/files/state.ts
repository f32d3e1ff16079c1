import * as v from 'valibot'
import type { FileServer } from '../../core/base/file-server.ts'
import { Refusal } from '../../core/base/refusals.ts'
import { orUnavailable } from '../../core/database/database.ts'
import { callOrigin, type OriginDeps, TOO_SLOW } from './origin.ts'

/** The problems of a file server. Operators see these words in the API. */
export const FILE_SERVER_PROBLEMS = [
  'not_set_up',
  'no_answer',
  'slow',
  'no_openlist',
  'wrong_token',
  'empty_token',
  'old',
] as const
export type FileServerProblem = (typeof FILE_SERVER_PROBLEMS)[number]

/** The state of the file server. It has no address and no token. */
export interface FileServerState {
  /** `undefined` when it works. */
  problem: FileServerProblem | undefined
  /** The details of the problem, for the operator; empty when there are none. */
  detail: string
  /** The version of OpenList, as it writes it; empty when it is not known. */
  version: string
  links: FileLinks
}

/**
 * While OpenList's `sign_all` is off it makes no signatures: this site then refuses the links, or
 * passes them to everybody who knows a path, as the operator has chosen (`FILES_OPEN_LINKS`).
 */
export const FILE_LINKS = ['signed', 'refused', 'open'] as const
type FileLinks = (typeof FILE_LINKS)[number]

/** The first version that is tested with this site. */
export const OLDEST_OPENLIST = '4.2.5'

const publicSchema = v.object({ version: v.string() })
const settingSchema = v.object({ value: v.string() })

/**
 * Looks at the file server with three requests at once, and changes nothing: whether it answers,
 * takes `FILES_TOKEN`, refuses strangers, and asks for signed links.
 *
 * @param deadlineMilliseconds How long all of it may take.
 */
export async function readFileServerState(
  deps: OriginDeps,
  files: FileServer,
  deadlineMilliseconds: number,
): Promise<FileServerState> {
  if (files.problem !== undefined)
    return { ...UNKNOWN, problem: 'not_set_up', detail: files.problem }
  const timeoutMilliseconds = Math.min(files.timeoutMilliseconds, deadlineMilliseconds)
  try {
    return await orUnavailable(ask(deps, { ...files, timeoutMilliseconds }), deadlineMilliseconds)
  } catch (error) {
    // The time is over.
    if (!(error instanceof Refusal)) throw error
    return { ...UNKNOWN, problem: 'slow' }
  }
}

const UNKNOWN = { detail: '', version: '', links: 'signed' } as const

async function ask(deps: OriginDeps, files: FileServer): Promise<FileServerState> {
  const path = '/api/admin/setting/get?key=sign_all'
  const answers = await Promise.allSettled([
    callOrigin(deps, files, '/api/public/settings'),
    callOrigin(deps, files, path, { token: files.token }),
    callOrigin(deps, files, path),
  ])
  const failed = answers.find((answer) => answer.status === 'rejected')
  if (failed !== undefined) return failureOf(failed.reason)
  const [shown, asAdmin, asStranger] = answers.map((answer) =>
    answer.status === 'fulfilled' ? answer.value : undefined,
  )
  const version = v.is(publicSchema, shown?.data) ? shown.data.version : ''
  const known = { ...UNKNOWN, version }
  if (asStranger?.code === 200) return { ...known, problem: 'empty_token' }
  if (asAdmin?.code === 401 || asAdmin?.code === 403) return { ...known, problem: 'wrong_token' }
  if (shown?.code !== 200 || version === '') return { ...known, problem: 'no_openlist' }
  if (isOlder(version)) return { ...known, problem: 'old' }
  const isSigned = v.is(settingSchema, asAdmin?.data) && asAdmin.data.value === 'true'
  const links = isSigned ? 'signed' : files.hasOpenLinks ? 'open' : 'refused'
  return { ...known, problem: undefined, links }
}

function failureOf(reason: unknown): FileServerState {
  if (!(reason instanceof Refusal)) throw reason
  const { refusal, detail } = reason
  if (refusal !== 'filesUnavailable') return { ...UNKNOWN, problem: 'no_openlist', detail }
  if (detail === TOO_SLOW) return { ...UNKNOWN, problem: 'slow' }
  return { ...UNKNOWN, problem: 'no_answer', detail }
}

/** A version without three numbers, as that of a build of one's own, is taken for a new one. */
function isOlder(version: string): boolean {
  const numbers = /^v?(\d+)\.(\d+)\.(\d+)/.exec(version)?.slice(1).map(Number)
  if (numbers === undefined) return false
  const oldest = OLDEST_OPENLIST.split('.').map(Number)
  const place = numbers.findIndex((number, index) => number !== oldest[index])
  return place >= 0 && (numbers[place] ?? 0) < (oldest[place] ?? 0)
}
