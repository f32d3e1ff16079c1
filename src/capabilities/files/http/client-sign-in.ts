import { deleteCookie, getCookie, setCookie } from 'hono/cookie'
import * as base64url from 'jose/base64url'
import * as v from 'valibot'
import { readAccountAs } from '../../../core/access/read-account.ts'
import { verifyToken } from '../../../core/access/token.ts'
import { sha256Base64Url } from '../../../core/base/encoding.ts'
import type { FileServer } from '../../../core/base/file-server.ts'
import { Refusal, refusalIn } from '../../../core/base/refusals.ts'
import { clientOf } from '../../../web/http/client.ts'
import type { AppContext, FileTarget } from '../../../web/http/context.ts'
import { hostCookie } from '../../../web/http/host-cookie.ts'
import { notAllowed } from '../../../web/http/http-methods.ts'
import { isFromPageHere } from '../../../web/http/page-here.ts'
import {
  clearSessionCookies,
  mendUserHint,
  sessionToken,
  setSessionToken,
} from '../../../web/http/session-cookie.ts'
import { parseClientPath } from '../../../web/kit/local-path.ts'
import { isSessionOver, lacksSecondFactor } from '../../../web/kit/session-over.ts'
import { signInPath } from '../../sign-in/pages/next.ts'
import { takeHandOver } from '../hand-over.ts'
import { arrivalPage } from '../pages/arrival-page.ts'
import { isReading, READING_METHODS } from '../rights.ts'
import { readText } from './body.ts'

/** Where the code of the accounts' host arrives. */
export const ARRIVAL_PATH = '/@login/arrive'

const SECRET_BYTES = 32
/** Long enough to sign in, with a code from a phone. */
const SECRET_SECONDS = 10 * 60
/** Longer ones would not fit into the address of the sign-in page. */
const MAX_NEXT_CHARACTERS = 512

const arrivalSchema = v.pipe(v.string(), v.parseJson(), v.object({ code: v.string() }))

const handOverCookie = (c: AppContext) => hostCookie(c, 'hand-over')

/**
 * Leads from the sign-in page of the web client to that of the account, and from there back to
 * where the visitor was. The web client's own page takes a token from its address and from messages
 * of any page.
 *
 * @throws {Refusal} `methodNotAllowed`; `filesNotSetUp` where nobody knows the accounts' host.
 */
export async function goToSignIn(
  c: AppContext,
  files: FileServer,
  { url }: FileTarget,
): Promise<Response> {
  if (!isReading(c.req.method)) throw notAllowed(c, READING_METHODS)
  c.header('Cache-Control', 'no-store')
  const path = parseClientPath(url.searchParams.get('redirect') ?? '') || '/'
  if (files.host === undefined) return c.redirect(signInPath(path), 303)
  return (await hasLiveSession(c)) ? c.redirect(path, 303) : askAccounts(c, path)
}

/** Asks D1 about the session of the browser at the files' host. */
async function hasLiveSession(c: AppContext): Promise<boolean> {
  const token = sessionToken(c)
  if (token === '') return false
  const deps = c.get('deps')
  try {
    const claims = await verifyToken(await deps.keyRing(), token, deps.now())
    await readAccountAs(deps, { ...claims, ...clientOf(c) })
    mendUserHint(c, claims.userId)
    return true
  } catch (error) {
    const refusal = refusalIn(error)
    if (isSessionOver(refusal)) clearSessionCookies(c)
    else if (!lacksSecondFactor(refusal)) throw error
    return false
  }
}

/** Leads to the accounts' host, with the challenge of a secret that this browser keeps. */
async function askAccounts(c: AppContext, path: string): Promise<Response> {
  const deps = c.get('deps')
  const accounts = deps.siteAddress()
  if (accounts === undefined)
    throw new Refusal('filesNotSetUp', { detail: 'FILES_HOST needs SITE_ADDRESS' })
  const secret = base64url.encode(deps.randomBytes(SECRET_BYTES))
  const { name, options } = handOverCookie(c)
  setCookie(c, name, secret, { ...options, maxAge: SECRET_SECONDS })
  const wanted = new URL('/account/files', accounts)
  const next = encodeURIComponent(path).length > MAX_NEXT_CHARACTERS ? '/' : path
  wanted.search = String(new URLSearchParams({ challenge: await sha256Base64Url(secret), next }))
  return c.redirect(wanted.href, 303)
}

/**
 * Takes the session that comes from the accounts' host. The code stands behind the `#` of the
 * address, which no server sees, and the script of the page sends it.
 *
 * @throws {Refusal} `methodNotAllowed`, `foreignForm`.
 */
export async function answerArrival(c: AppContext): Promise<Response> {
  c.header('Cache-Control', 'no-store')
  if (isReading(c.req.method)) return arrivalPage(c)
  if (c.req.method !== 'POST') throw notAllowed(c, [...READING_METHODS, 'POST'])
  if (!isFromPageHere(c)) throw new Refusal('foreignForm')
  const { name, options } = handOverCookie(c)
  const secret = getCookie(c, name) ?? ''
  deleteCookie(c, name, options)
  const parsed = v.safeParse(arrivalSchema, await readText(c))
  try {
    if (!parsed.success) throw new Refusal('handOverInvalid')
    const { code } = parsed.output
    const { token, next } = await takeHandOver(c.get('deps'), code, secret, clientOf(c))
    await setSessionToken(c, token)
    return c.json({ next: parseClientPath(next) || '/' })
  } catch (error) {
    const { code, refusal } = refusalIn(error)
    // Whatever is wrong with the code or its session, the page says the same.
    if (code >= 500 || refusal === 'handOverInvalid') throw error
    throw new Refusal('handOverInvalid')
  }
}
