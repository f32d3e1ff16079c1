import { createMiddleware } from 'hono/factory'
import { BOOKMARK_COOKIE, BOOKMARK_HEADER, callersBookmark } from '../database/bookmarks.ts'
import { type App, type AppContext, isRefusedStranger } from './context.ts'

/**
 * Tells the caller which state of the database an answer rests on, refusals included: in a header,
 * and for browsers, which send none, in a cookie, so that nobody misses what they wrote or sees a
 * session again that had ended. It is no credential.
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
