import type { AppContext } from './context.ts'

/**
 * Returns the name and the options of a cookie for all paths of this host. Browsers send a
 * `__Host-` cookie to this host only, and only over https. Over http, which `npm start` serves,
 * they drop it, so the cookie has another name there.
 *
 * @see RFC 6265bis section 4.1.3.2
 */
export function hostCookie(
  c: AppContext,
  cookie: string,
  {
    sameSite = 'Strict',
    httpOnly = true,
  }: { sameSite?: 'Strict' | 'Lax'; httpOnly?: boolean } = {},
) {
  const secure = c.req.url.startsWith('https:')
  const options = { path: '/', httpOnly, sameSite, secure } as const
  return { name: secure ? `__Host-${cookie}` : cookie, options }
}
