import { deleteCookie, getCookie, setCookie } from 'hono/cookie'
import type { AppContext } from '../http/context.ts'

/** The page that leads through everything that opens the account. */
export const CHECK_PATH = '/account/security/check'

const COOKIE = 'checking'
const LIFETIME_SECONDS = 30 * 60
const PATH = '/account'

/** Whether the visitor is on the way through the check: other pages then have a way back to it. */
export function isChecking(c: AppContext): boolean {
  return getCookie(c, COOKIE) !== undefined
}

/** Remembers it for half an hour. */
export function beginChecking(c: AppContext): void {
  setCookie(c, COOKIE, '1', {
    path: PATH,
    maxAge: LIFETIME_SECONDS,
    httpOnly: true,
    secure: c.req.url.startsWith('https:'),
    sameSite: 'Lax',
  })
}

export function endChecking(c: AppContext): void {
  deleteCookie(c, COOKIE, { path: PATH })
}
