import { deleteCookie, getCookie, setCookie } from 'hono/cookie'
import { filesAddressFrom } from '../../../core/base/file-server.ts'
import type { AppContext } from '../../../web/http/context.ts'
import { parseClientPath } from '../../../web/kit/local-path.ts'
import { showContinue } from '../../../web/kit/problem-page.tsx'
import { goTo } from '../../../web/kit/view.ts'

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

/**
 * Returns the address of the page, once; empty when the visitor did not come from the files. At
 * another host, its sign-in page leads on to it.
 */
export function takeFilesPath(c: AppContext): string {
  const { name, options } = cookieOf(c)
  const kept = getCookie(c, name)
  if (kept === undefined) return ''
  deleteCookie(c, name, options)
  const path = parseClientPath(kept)
  const files = c.get('deps').fileServer()
  return path === '' || files === undefined ? '' : filesAddressFrom(files, new URL(c.req.url), path)
}

/**
 * Leads from a form to an address that `takeFilesPath` has returned: `form-action` forbids a form
 * to end at another host.
 */
export function goToFiles(c: AppContext, address: string) {
  return address.startsWith('/') ? goTo(c, address) : showContinue(c, address)
}
