import { deleteCookie, getCookie, setCookie } from 'hono/cookie'
import type { AppContext } from '../../../web/http/context.ts'
import { hostCookie } from '../../../web/http/host-cookie.ts'

/** The cookies of single sign-on: a sealed text each. */
export type SsoCookie =
  /** A sign-in at the provider that has begun. */
  | 'sso'
  /** A sign-in that the provider has confirmed, without the account's second factor or link. */
  | 'sso-step'
  /** An identity that `/api/me/update` may link. */
  | 'sso-identity'

/**
 * SameSite=Lax, because the browser comes back from the provider's site. A text alone does nothing:
 * the callback also needs the state and the code, the step a proof of the user, the identity a
 * token.
 */
const cookieOf = (c: AppContext, name: SsoCookie) => hostCookie(c, name, { sameSite: 'Lax' })

/** Returns the text of a cookie; empty without the cookie. */
export function readSsoCookie(c: AppContext, cookie: SsoCookie): string {
  return getCookie(c, cookieOf(c, cookie).name) ?? ''
}

export function setSsoCookie(
  c: AppContext,
  cookie: SsoCookie,
  text: string,
  seconds: number,
): void {
  const { name, options } = cookieOf(c, cookie)
  setCookie(c, name, text, { ...options, maxAge: seconds })
}

export function clearSsoCookie(c: AppContext, cookie: SsoCookie): void {
  const { name, options } = cookieOf(c, cookie)
  if (getCookie(c, name) !== undefined) deleteCookie(c, name, options)
}
