import { createMiddleware } from 'hono/factory'
import { sealBookmark } from '../../core/crypto/sealed-bookmark.ts'
import { BOOKMARK_COOKIE, BOOKMARK_HEADER } from '../../core/database/bookmarks.ts'
import { type App, type AppContext, isRefusedStranger } from './context.ts'

/**
 * Sends the D1 bookmark of the answer, sealed, also with refusals: in a header, and in a cookie for
 * browsers, which send no such header. The next request then sees at least this state: callers see
 * what they wrote, and ended sessions stay ended. A bookmark is not a credential.
 */
export const bookmark = createMiddleware<App>(async function bookmark(c, next) {
  await next()
  const deps = c.get('deps')
  const { meter } = deps
  if (meter.bookmark === undefined || isRefusedStranger(c)) return
  // Without a key, what needs none still works.
  const ring = await deps.keyRing().catch(() => undefined)
  if (ring === undefined) return
  const sealed = await sealBookmark(deps, ring, meter.bookmark)
  c.res.headers.set(BOOKMARK_HEADER, sealed)
  const isNews = meter.rowsWritten > 0 || c.get('outcome') === 401
  if (isNews || (await deps.seenBookmark()) === undefined) setCookie(c, sealed)
})

function setCookie(c: AppContext, value: string): void {
  const secure = c.req.url.startsWith('https:') ? '; Secure' : ''
  const cookie = `${BOOKMARK_COOKIE}=${value}; Path=/; HttpOnly; SameSite=Lax${secure}`
  c.res.headers.append('Set-Cookie', cookie)
}
