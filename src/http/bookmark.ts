import { createMiddleware } from 'hono/factory'
import { BOOKMARK_COOKIE, BOOKMARK_HEADER, callersBookmark } from '../database/bookmarks.ts'
import { type App, type AppContext, isRefusedStranger } from './context.ts'

/**
 * Sends the D1 bookmark of the answer, also with refusals: in a header, and in a cookie for
 * browsers, which send no such header. The next request then sees at least this state: callers see
 * what they wrote, and ended sessions stay ended. A bookmark is not a credential.
 */
export const bookmark = createMiddleware<App>(async function bookmark(c, next) {
  await next()
  const { meter } = c.get('deps')
  if (meter.bookmark === undefined || isRefusedStranger(c)) return
  c.res.headers.set(BOOKMARK_HEADER, meter.bookmark)
  const isNews = meter.rowsWritten > 0 || c.get('outcome') === 401
  if (isNews || callersBookmark(c.req.raw.headers) === undefined) setCookie(c, meter.bookmark)
})

function setCookie(c: AppContext, value: string): void {
  const secure = c.req.url.startsWith('https:') ? '; Secure' : ''
  const cookie = `${BOOKMARK_COOKIE}=${value}; Path=/; HttpOnly; SameSite=Lax${secure}`
  c.res.headers.append('Set-Cookie', cookie)
}
