import { cors } from 'hono/cors'
import { createMiddleware } from 'hono/factory'
import { BOOKMARK_HEADER } from '../../core/database/bookmarks.ts'
import type { App } from './context.ts'

const HSTS_SECONDS = 365 * 24 * 60 * 60
const PREFLIGHT_SECONDS = 86_400

/** The security headers of every answer. */
const HTTP_HEADERS = Object.entries({
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
})
/** Over https, HSTS comes with them. @see RFC 6797 section 7.2 */
const HTTPS_HEADERS = [
  ...HTTP_HEADERS,
  ['Strict-Transport-Security', `max-age=${HSTS_SECONDS}`] as const,
]

const EXPOSED = ['ETag', 'Retry-After', 'Server-Timing', BOOKMARK_HEADER, 'X-Request-Id'].join(',')

/** Answers a preflight request: pages of other origins may send their token. */
export const answerPreflight = cors({
  origin: '*',
  allowMethods: ['GET', 'HEAD', 'POST'],
  allowHeaders: ['Authorization', 'Content-Type', 'session', BOOKMARK_HEADER],
  maxAge: PREFLIGHT_SECONDS,
})

/**
 * Sets the security and CORS headers. Every page may read answers of the API: the token is a header
 * that the page's script sets, never a cookie. The headers are set on the finished response: with
 * `c.header`, or earlier, Hono makes a new response for each.
 */
export const browserRules = createMiddleware<App>(async function browserRules(c, next) {
  // The file server's answers have rules of their own (`files/http/gateway.ts`).
  if (c.get('fileTarget') !== undefined) return next()
  // Pages of other origins must not read account pages, which use a cookie, and need not
  // introspect tokens, which servers do.
  const isClosed = /^\/(?:account|oauth\/(?:authorize|end_session|introspect))(\/|$)/.test(
    c.req.path,
  )
  if (isPreflight(c.req.raw) && !isClosed) return answerPreflight(c, next)
  await next()
  // Every response is made here, so its headers can be changed; a fetched one would need a copy.
  const { headers } = c.res
  // A page with other rules has set its own header.
  for (const [name, value] of c.req.url.startsWith('https:') ? HTTPS_HEADERS : HTTP_HEADERS) {
    if (!headers.has(name)) headers.set(name, value)
  }
  if (isClosed) return
  headers.set('Access-Control-Allow-Origin', '*')
  headers.set('Access-Control-Expose-Headers', EXPOSED)
  if (c.req.path.startsWith('/api/') && !headers.has('Cache-Control'))
    headers.set('Cache-Control', 'no-store')
})

/** @see https://fetch.spec.whatwg.org/#cors-preflight-request */
export function isPreflight({ method, headers }: Request): boolean {
  return method === 'OPTIONS' && headers.has('Access-Control-Request-Method')
}

/** Answers `/ping`, which any page may read. */
export function ping(): Response {
  const pong = new Response('pong')
  // Faster in workerd than a Response constructed with headers.
  pong.headers.set('Access-Control-Allow-Origin', '*')
  return pong
}
