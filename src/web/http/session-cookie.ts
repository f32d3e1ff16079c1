import { deleteCookie, getCookie, setCookie } from 'hono/cookie'
import { verifyToken } from '../../core/access/token.ts'
import { hasFilesAt } from '../../core/base/file-server.ts'
import type { AppContext } from './context.ts'
import { hostCookie } from './host-cookie.ts'
import { isFromPageHere } from './page-here.ts'

/**
 * A text that the scripts of the web client send in place of a token. It means the session in the
 * cookie of this browser, if that is a session of this user.
 */
const MARKER = /^cookie\.(\d{1,16})$/

const sessionCookie = (c: AppContext) => hostCookie(c, 'session')
/** The script of the web client's pages reads it. */
const userCookie = (c: AppContext) => hostCookie(c, 'user', { httpOnly: false })

/** Tells whether the web client of the file server is at the host of the request. */
export function hasClientHere(c: AppContext): boolean {
  const files = c.get('deps').fileServer()
  return files !== undefined && hasFilesAt(files, new URL(c.req.url))
}

/** Returns the token of the browser's session; empty when there is no session cookie. */
export function sessionToken(c: AppContext): string {
  return getCookie(c, sessionCookie(c).name) ?? ''
}

/** Sets the cookies of a session. @param token A token that this site has just signed. */
export async function setSessionToken(c: AppContext, token: string): Promise<void> {
  setSessionCookie(c, token)
  if (hasClientHere(c)) setUserHint(c, await userIdOf(c, token))
}

function setSessionCookie(c: AppContext, token: string): void {
  const { name, options } = sessionCookie(c)
  setCookie(c, name, token, { ...options, maxAge: c.get('deps').tokenSeconds() })
}

/**
 * Tells the first script of the web client's pages whose session the browser has. The cookie gives
 * no rights: the session cookie decides.
 */
function setUserHint(c: AppContext, userId: number): void {
  const { name, options } = userCookie(c)
  setCookie(c, name, String(userId), { ...options, maxAge: c.get('deps').tokenSeconds() })
}

/** Sets the hint where a session of before the file server, or another page, has left another one. */
export function mendUserHint(c: AppContext, userId: number): void {
  if (hasClientHere(c) && getCookie(c, userCookie(c).name) !== String(userId))
    setUserHint(c, userId)
}

/** Clears the cookies of a session. */
export function clearSessionCookies(c: AppContext): void {
  const cookies = hasClientHere(c) ? [sessionCookie(c), userCookie(c)] : [sessionCookie(c)]
  for (const { name, options } of cookies) deleteCookie(c, name, options)
}

/**
 * Gives the token of a new session to who has signed in: a page of the web client's host gets it in
 * the cookies, and its scripts the marker. So no script there ever has a token.
 *
 * @returns What the answer shows.
 */
export async function giveSession(c: AppContext, token: string): Promise<string> {
  if (!hasClientHere(c) || !isFromPageHere(c)) return token
  const userId = await userIdOf(c, token)
  setSessionCookie(c, token)
  setUserHint(c, userId)
  return `cookie.${userId}`
}

async function userIdOf(c: AppContext, token: string): Promise<number> {
  const deps = c.get('deps')
  return (await verifyToken(await deps.keyRing(), token, deps.now())).userId
}

/**
 * Reads a marker.
 *
 * @returns `undefined` for every other text. `isHere`: a page at the web client's host has sent it.
 *   Otherwise it means nothing: pictures, forms and pages of other sites can send the cookie.
 */
export function readMarker(
  c: AppContext,
  text: string,
): { userId: number; isHere: boolean } | undefined {
  const [, userId] = MARKER.exec(text) ?? []
  if (userId === undefined) return undefined
  return { userId: Number(userId), isHere: hasClientHere(c) && isFromPageHere(c) }
}
