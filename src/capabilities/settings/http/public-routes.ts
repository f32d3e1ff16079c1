import { Hono } from 'hono'
import type { App } from '../../../web/http/context.ts'
import { ok } from '../../../web/http/envelope.ts'
import { readSettings } from '../copy.ts'

/** Routes under `/api/public`. */
export const publicRoutes = new Hono<App>()
  .get('/settings', async (c) => {
    const { body, etag } = await readSettings(c.get('deps'))
    const headers = { ETag: etag, 'Cache-Control': 'no-cache' }
    if (isKnown(etag, c.req.header('If-None-Match') ?? '')) return c.body(null, 304, headers)
    return c.body(body, 200, { ...headers, 'Content-Type': 'application/json' })
  })
  .get('/archive_extensions', (c) => ok(c, []))

/** @see RFC 9110 section 13.1.2 */
function isKnown(etag: string, ifNoneMatch: string): boolean {
  const tags = ifNoneMatch.split(',').map((tag) => tag.trim().replace(/^W\//, ''))
  return tags.includes(etag) || tags.includes('*')
}
