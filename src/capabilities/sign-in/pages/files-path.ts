import { deleteCookie, getCookie, setCookie } from 'hono/cookie'
import type { AppContext } from '../../../web/http/context.ts'
import { hasClientHere } from '../../../web/http/session-cookie.ts'
import { parseClientPath } from '../../../web/kit/local-path.ts'

/** Long enough to set up a second factor. */
const LIFETIME_SECONDS = 30 * 60

/** The prefix is `__Secure-`, because `__Host-` demands the path `/`. */
function cookieOf(c: AppContext) {
  const secure = c.req.url.startsWith('https:')
  const options = { path: '/account', httpOnly: true, sameSite: 'Strict', secure } as const
  return { name: secure ? '__Secure-files-path' : 'files-path', options }
}

/** Remembers which page of the files a visitor wanted who has to set up a second factor first. */
export function keepFilesPath(c: AppContext, path: string): void {
  const { name, options } = cookieOf(c)
  setCookie(c, name, path, { ...options, maxAge: LIFETIME_SECONDS })
}

/** Returns the page, once; empty when the visitor did not come from the files. */
export function takeFilesPath(c: AppContext): string {
  const { name, options } = cookieOf(c)
  const kept = getCookie(c, name)
  if (kept === undefined) return ''
  deleteCookie(c, name, options)
  return hasClientHere(c) ? parseClientPath(kept) : ''
}
