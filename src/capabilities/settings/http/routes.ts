import { Hono } from 'hono'
import type { App } from '../../../web/http/context.ts'
import { ok } from '../../../web/http/envelope.ts'
import { isSiteAddress } from '../../../core/base/web-address.ts'
import { DEFAULT_SETTINGS } from '../defaults.ts'
import { readRelatedOrigins } from '../related-origins.ts'
import { readSecurityTxt } from '../security-txt.ts'
import { readSettings } from '../store.ts'

/** Routes under `/api/public`. */
export const publicRoutes = new Hono<App>()
  .get('/settings', async (c) => {
    const { body, etag } = await readSettings(c.get('deps'))
    const headers = { ETag: etag, 'Cache-Control': 'no-cache' }
    if (isKnown(etag, c.req.header('If-None-Match') ?? '')) return c.body(null, 304, headers)
    return c.body(body, 200, { ...headers, 'Content-Type': 'application/json' })
  })
  .get('/archive_extensions', (c) => ok(c, []))

/** Routes at the root of a site that browsers and crawlers ask for. */
export const siteRoutes = new Hono<App>()
  .get('/robots.txt', async (c) => c.text((await readSettings(c.get('deps'))).values.robots_txt))
  .get('/.well-known/security.txt', async (c) => c.text(await readSecurityTxt(c.get('deps'))))
  .get('/.well-known/webauthn', async (c) =>
    c.json({ origins: await readRelatedOrigins(c.get('deps')) }),
  )
  .get('/favicon.ico', async (c) => {
    const { favicon } = (await readSettings(c.get('deps'))).values
    const isElsewhere = isSiteAddress(favicon) && !isSamePage(favicon, c.req.url)
    return c.redirect(isElsewhere ? favicon : DEFAULT_SETTINGS.favicon)
  })

/** Tells whether a redirect to the address would lead back to this route. */
function isSamePage(address: string, url: string): boolean {
  const target = new URL(address, url)
  return target.host === new URL(url).host && target.pathname === '/favicon.ico'
}

/** @see RFC 9110 section 13.1.2 */
function isKnown(etag: string, ifNoneMatch: string): boolean {
  const tags = ifNoneMatch.split(',').map((tag) => tag.trim().replace(/^W\//, ''))
  return tags.includes(etag) || tags.includes('*')
}
