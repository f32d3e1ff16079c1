import type { Handler } from 'hono'
import type { App } from './context.ts'

/** Any page may read the answer. Nothing more is said of one constant word. */
const READABLE = { headers: { 'Access-Control-Allow-Origin': '*' } }

/**
 * Answers `pong` to every method. It stands before all the rest: whoever measures a connection asks
 * often, and there is nothing to look up, to guard or to log.
 */
export const ping: Handler<App> = (c, next) =>
  // A browser asks first whether it may send its token along.
  isPreflight(c.req.raw) ? next().then(() => c.res) : new Response('pong', READABLE)

/** @see https://fetch.spec.whatwg.org/#cors-preflight-request */
export function isPreflight({ method, headers }: Request): boolean {
  return method === 'OPTIONS' && headers.has('Access-Control-Request-Method')
}
