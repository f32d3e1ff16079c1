import { cors } from 'hono/cors'
import { createMiddleware } from 'hono/factory'
import { BOOKMARK_HEADER } from '../database/bookmarks.ts'
import type { App } from './context.ts'

const HSTS_SECONDS = 365 * 24 * 60 * 60
const PREFLIGHT_SECONDS = 86_400

/** What tells a browser to do nothing with an answer but read it. */
const PLAIN = Object.entries({
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
})
/** @see RFC 6797 section 7.2: the promise of https is made over https only. */
const SECURE = [...PLAIN, ['Strict-Transport-Security', `max-age=${HSTS_SECONDS}`] as const]

const EXPOSED = ['ETag', 'Retry-After', 'Server-Timing', BOOKMARK_HEADER, 'X-Request-Id'].join(',')

/** Lets a page of another origin send its token along. */
export const answerPreflight = cors({
  origin: '*',
  allowMethods: ['GET', 'HEAD', 'POST'],
  allowHeaders: ['Authorization', 'Content-Type', BOOKMARK_HEADER],
  maxAge: PREFLIGHT_SECONDS,
})

/**
 * Says what browsers may do with an answer, and who may read it: any page, for the token is a
 * header that its own script has to set, never a cookie. All of it is put on the finished answer:
 * by `c.header`, or before there is one, Hono makes another answer for each.
 */
export const browserRules = createMiddleware<App>(async function browserRules(c, next) {
  // Pages are for people, and their forms know by a cookie who sends them.
  const isPage = /^\/account(\/|$)/.test(c.req.path)
  if (isPreflight(c.req.raw) && !isPage) return answerPreflight(c, next)
  await next()
  // All answers are our own; one that was fetched would have to be copied first.
  const { headers } = c.res
  // A page that needs more has said so.
  for (const [name, value] of c.req.url.startsWith('https:') ? SECURE : PLAIN) {
    if (!headers.has(name)) headers.set(name, value)
  }
  if (isPage) return
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
  // A Response made with headers takes workerd longer than a header set afterwards.
  pong.headers.set('Access-Control-Allow-Origin', '*')
  return pong
}
