import { getCookie, setCookie } from 'hono/cookie'
import { sha256Hex } from '../../core/base/encoding.ts'
import type { AppContext } from './context.ts'

/** From the redirect of the callback to the page of the web client. */
const LIFETIME_SECONDS = 60

/** SameSite=Lax, because the browser comes back from the provider's site. */
function cookieOf(c: AppContext) {
  const secure = c.req.url.startsWith('https:')
  const options = { path: '/', httpOnly: true, sameSite: 'Lax', secure } as const
  return { name: secure ? '__Host-login-token' : 'login-token', options }
}

/**
 * Remembers in the browser which token its user has just been given, so that the address with it
 * leads to the web client: a page of another site could open an address with another token, and the
 * visitor would go on as somebody else.
 */
export async function expectLoginToken(c: AppContext, token: string): Promise<void> {
  const { name, options } = cookieOf(c)
  setCookie(c, name, await sha256Hex(token), { ...options, maxAge: LIFETIME_SECONDS })
}

/** Tells whether this browser was given a token a moment ago. */
export async function isLoginTokenExpected(c: AppContext, token: string): Promise<boolean> {
  return getCookie(c, cookieOf(c).name) === (await sha256Hex(token))
}
