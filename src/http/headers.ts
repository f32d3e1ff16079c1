import { createMiddleware } from 'hono/factory'
import type { App } from './context.ts'

const HSTS_SECONDS = 365 * 24 * 60 * 60

const PLAIN = {
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
}
const SECURE = { ...PLAIN, 'Strict-Transport-Security': `max-age=${HSTS_SECONDS}` }

/**
 * What tells a browser to do nothing with an answer but read it.
 *
 * @see RFC 6797 section 7.2: the promise of https is made over https only.
 */
export function headersFor(url: string): Record<string, string> {
  return url.startsWith('https:') ? SECURE : PLAIN
}

export const securityHeaders = createMiddleware<App>(async function securityHeaders(c, next) {
  await next()
  // Not by `c.header`, which makes a finished response anew for each.
  const { headers } = c.res
  // A page that needs more has said so.
  for (const [name, value] of Object.entries(headersFor(c.req.url))) {
    if (!headers.has(name)) headers.set(name, value)
  }
  const isPrivate = c.req.path.startsWith('/api/') && !headers.has('Cache-Control')
  if (isPrivate) headers.set('Cache-Control', 'no-store')
})
