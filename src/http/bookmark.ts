import { createMiddleware } from 'hono/factory'
import { laterBookmark, readBookmark } from '../bookmarks.ts'
import { type App, type AppContext, isRefusedStranger } from './context.ts'

const HEADER = 'X-D1-Bookmark'
const COOKIE = 'latchkey_bookmark'
const COOKIE_PATTERN = new RegExp(`(?:^|; )${COOKIE}=([^;]*)`)

/** The latest state of the database that a caller says to have seen, in a header or a cookie. */
export function callersBookmark(headers: Headers): string | undefined {
  const [, cookie] = COOKIE_PATTERN.exec(headers.get('Cookie') ?? '') ?? []
  return laterBookmark(readBookmark(headers.get(HEADER)), readBookmark(cookie))
}

/**
 * Tells the caller which state of the database an answer rests on, refusals included: in a header,
 * and for browsers, which send none, in a cookie, so that nobody misses what they wrote or sees a
 * session again that had ended. It is no credential.
 */
export const bookmark = createMiddleware<App>(async function bookmark(c, next) {
  await next()
  const { meter } = c.get('deps')
  if (meter.bookmark === undefined || isRefusedStranger(c)) return
  c.res.headers.set(HEADER, meter.bookmark)
  const isNews = meter.rowsWritten > 0 || c.get('outcome') === 401
  if (isNews || callersBookmark(c.req.raw.headers) === undefined) setCookie(c, meter.bookmark)
})

function setCookie(c: AppContext, value: string): void {
  const secure = c.req.url.startsWith('https:') ? '; Secure' : ''
  const cookie = `${COOKIE}=${value}; Path=/; HttpOnly; SameSite=Lax${secure}`
  c.res.headers.append('Set-Cookie', cookie)
}
