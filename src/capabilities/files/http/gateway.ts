import { createMiddleware } from 'hono/factory'
import { type FileServer, hasFilesAt } from '../../../core/base/file-server.ts'
import { isClientSignIn, readSitePath, type SiteArea } from '../../../core/base/site-areas.ts'
import type { Deps } from '../../../core/deps.ts'
import { Refusal, refusalIn } from '../../../core/base/refusals.ts'
import type { App, AppContext, FileTarget } from '../../../web/http/context.ts'
import { refuse } from '../../../web/http/envelope.ts'
import { isPreflight } from '../../../web/http/headers.ts'
import { notAllowed } from '../../../web/http/http-methods.ts'
import { DAV_METHODS, FILE_METHODS } from '../rights.ts'
import { isLinkSigned } from '../signed-links.ts'
import { readLeaseEnds } from '../lease.ts'
import { mayBeBehind } from '../store.ts'
import { writeAfterAnswer } from '../write-in-time.ts'
import { settleLateWrites } from '../write-users.ts'
import { answerApi } from './api.ts'
import { forward, NO_BODY, readUpload } from './body.ts'
import { readGuarded } from './guarded.ts'
import { passedAnswer, sentHeaders } from './headers.ts'
import { clientPage } from './client-page.ts'
import { answerArrival, ARRIVAL_PATH, goToSignIn } from './client-sign-in.ts'
import { answerDav } from './webdav.ts'

const PREFLIGHT_SECONDS = 86_400
const EXPOSED = 'ETag, Content-Range, Content-Disposition, DAV, Retry-After, X-Request-Id'

/** A file in a share, or in an archive of one. */
const IN_SHARE = /^\/sa?d(?:\/|$)/

/** A file in a share is for everybody. */
const NOBODY = { account: undefined, isAdmin: false, isNew: false, known: null }

/** The policy of the page that tells of a fault: nothing is loaded. */
const FAULT_POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'self'"

/** Makes the page that tells a person of a fault. */
export type FaultPage = (c: AppContext, refusal: Refusal, isAccountHere: boolean) => Promise<string>

/**
 * Finds who answers a request, on a site with a file server, and sets the headers of what the file
 * server answers. It writes changed users to the file server after each answer.
 */
export const createFileRules = (faultPage: FaultPage) =>
  createMiddleware<App>(async function fileRules(c, next) {
    const deps = c.get('deps')
    const files = deps.fileServer()
    if (files === undefined) return next()
    const url = new URL(c.req.url)
    const isOfAccounts = !hasFilesAt(files, url)
    const found = isOfAccounts ? undefined : readSitePath(url.pathname)
    const area = found === undefined ? undefined : areaAt(files, found)
    if (isOfAccounts || area === 'latchkey') {
      await next()
      if (mayBeBehind(deps.meter))
        deps.defer(writeAfterAnswer({ ...deps, db: deps.backgroundDb }, files))
      return
    }
    if (isPreflight(c.req.raw)) return answerFilePreflight(c, area)
    c.set('fileTarget', { area: area ?? 'client', path: found?.decoded ?? '', url })
    const refusal = found === undefined ? new Refusal('pathInvalid') : refusalOf(c, area)
    if (refusal === undefined) await next()
    else c.res = refuse(c, refusal)
    if (isFaultForPerson(c, area))
      showFault(c, await faultPage(c, refusal ?? refusalIn(c.error), files.host === undefined))
    setFileHeaders(c, area)
  })

/** A refusal of ours, to a browser that shows it: `refuse` has made a text of it. */
function isFaultForPerson(c: AppContext, area: SiteArea | undefined): boolean {
  const isPage = area !== 'api' && area !== 'dav' && c.req.method === 'GET'
  return (
    isPage && c.get('outcome') !== undefined && /\btext\/html\b/.test(c.req.header('Accept') ?? '')
  )
}

function showFault(c: AppContext, page: string): void {
  const { status, headers } = c.res
  headers.set('Content-Type', 'text/html; charset=UTF-8')
  headers.set('Content-Security-Policy', FAULT_POLICY)
  headers.set('Cache-Control', 'no-store')
  headers.delete('Content-Length')
  c.res = undefined
  c.res = new Response(page, { status, headers })
}

/** The pages of accounts are not at the host of the files. */
function areaAt({ host }: FileServer, { area, decoded }: { area: SiteArea; decoded: string }) {
  const isAccountPage = /^\/(?:account|oauth|docs|openapi\.json)(?:\/|$)/.test(decoded)
  return host !== undefined && isAccountPage ? 'nobody' : area
}

function methodsOf(area: SiteArea | undefined): readonly string[] {
  return area === 'dav' ? DAV_METHODS : FILE_METHODS
}

function refusalOf(c: AppContext, area: SiteArea | undefined): Refusal | undefined {
  if (area === 'nobody') return new Refusal('unknownPath')
  const methods = methodsOf(area)
  if (!methods.includes(c.req.method)) return notAllowed(c, methods)
  const isFile = area === 'raw' || area === 'dav'
  if (isFile && c.req.header('Service-Worker') === 'script') return new Refusal('foreignWorker')
  return undefined
}

function answerFilePreflight(c: AppContext, area: SiteArea | undefined): Response {
  const asked = c.req.header('Access-Control-Request-Headers') ?? ''
  return new Response(null, {
    status: 204,
    headers: {
      'Access-Control-Allow-Origin': '*',
      'Access-Control-Allow-Methods': methodsOf(area).join(','),
      ...(/^[\w\-, ]*$/.test(asked) && { 'Access-Control-Allow-Headers': asked }),
      'Access-Control-Max-Age': String(PREFLIGHT_SECONDS),
      Vary: 'Access-Control-Request-Headers',
    },
  })
}

/**
 * Files of users are at the origin of the accounts: their scripts must not be scripts of the site.
 * Viewers of PDF refuse a sandbox, and run no script of it in this origin.
 */
function setFileHeaders(c: AppContext, area: SiteArea | undefined): void {
  const { headers } = c.res
  headers.set('Access-Control-Allow-Origin', '*')
  headers.set('Access-Control-Expose-Headers', EXPOSED)
  headers.set('X-Content-Type-Options', 'nosniff')
  if (c.req.url.startsWith('https:')) headers.set('Strict-Transport-Security', 'max-age=31536000')
  if (area === 'dav' && c.res.status === 401)
    headers.set('WWW-Authenticate', 'Basic realm="Latchkey", charset="UTF-8"')
  // The same path is another file for each base path; some storages let shared caches keep it.
  if (area === 'dav') headers.set('Cache-Control', 'private, no-cache')
  // A page that opens the web client must not reach its window: some of its pages act on any
  // message. It opens the window of single sign-on itself, which must reach it.
  if (area === 'client') headers.set('Cross-Origin-Opener-Policy', 'same-origin-allow-popups')
  const type = headers.get('Content-Type') ?? ''
  // `/i/….plist` puts a text of the caller into XML, which can hold scripts.
  if (area === 'client' && !/\bxml\b/i.test(type)) return
  if (area === 'api') {
    if (!headers.has('Cache-Control')) headers.set('Cache-Control', 'no-store')
    headers.set('Content-Security-Policy', "default-src 'none'; frame-ancestors 'none'")
    return
  }
  const isFault = headers.get('Content-Security-Policy') === FAULT_POLICY
  if (type !== 'application/pdf' && !isFault) headers.set('Content-Security-Policy', 'sandbox')
}

function isWord(text: string): boolean {
  return /^\w*$/.test(text)
}

/** Answers what is the file server's. */
export const forwardToFiles = createMiddleware<App>(async function forwardToFiles(c, next) {
  const target = c.get('fileTarget')
  const files = target && c.get('deps').fileServer()
  if (target === undefined || files === undefined) return next()
  if (files.problem !== undefined)
    throw new Refusal('filesNotSetUp', { detail: files.problem, retryAfterSeconds: 60 })
  if (target.area === 'api') return answerApi(c, files, target.path)
  if (target.area === 'dav') return answerDav(c, files)
  return answerPlain(c, files, target)
})

/**
 * Passes a request that names no user: the bytes of a file by a signed link, the web client.
 *
 * @throws {Refusal} `linkNotSigned`: OpenList itself asks for a signature only where its settings
 *   want one; `requestInvalid`, `filesUnavailable`.
 */
async function answerPlain(c: AppContext, files: FileServer, target: FileTarget) {
  const deps = c.get('deps')
  if (target.area === 'raw' && !files.hasOpenLinks) {
    const isSigned = await isLinkSigned(files, target.path, c.req.query('sign') ?? '', deps.now())
    if (!isSigned) throw new Refusal('linkNotSigned')
  }
  // OpenList joins it to the path, and gives what another one has just asked for by that name.
  if (target.area === 'raw' && c.req.queries('type')?.every(isWord) === false)
    throw new Refusal('requestInvalid')
  if (target.area === 'raw' && IN_SHARE.test(target.path)) return answerShared(c, files)
  if (target.area === 'client' && isClientSignIn(target.path)) return goToSignIn(c, files, target)
  if (files.host !== undefined && target.path === ARRIVAL_PATH) return answerArrival(c)
  const body = await readUpload(c)
  const answer = passedAnswer(await forward(c, files, sentHeaders(c), body))
  const isHtml = /^text\/html\b/i.test(answer.headers.get('Content-Type') ?? '')
  return target.area === 'client' && isHtml && answer.body !== null
    ? clientPage(deps, files, answer, { path: target.path, accounts: accountsOf(deps, files) })
    : answer
}

/** Passes a file in a share, once the guard of the site has looked at the share. */
async function answerShared(c: AppContext, files: FileServer): Promise<Response> {
  const deps = c.get('deps')
  const headers = sentHeaders(c)
  await settleLateWrites(deps, files, () => readLeaseEnds(deps.db))
  const guarded = await readGuarded(c, files, 'raw', headers, NO_BODY)
  await guarded.admit(NOBODY, { headers, body: NO_BODY, search: undefined })
  const answer = passedAnswer(await forward(c, files, headers, await readUpload(c)))
  return guarded.answer(NOBODY, answer)
}

/** The origin of the account pages; empty where the web client has the same. */
function accountsOf(deps: Deps, files: FileServer): string {
  return files.host === undefined ? '' : (deps.siteAddress() ?? '')
}
