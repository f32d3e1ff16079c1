import { createMiddleware } from 'hono/factory'
import type { App } from './context.ts'
import { headersFor } from './headers.ts'

/**
 * Answers `pong` to every method. It stands before all the rest: whoever measures a connection asks
 * often, and there is nothing to look up, to guard or to log.
 */
export const ping = createMiddleware<App>(async function pong(c, next) {
  // A browser asks first whether it may send its token along.
  if (isPreflight(c.req.raw)) return next()
  const headers = { 'Content-Type': 'text/plain;charset=UTF-8', 'Access-Control-Allow-Origin': '*' }
  return new Response('pong', { headers: { ...headers, ...headersFor(c.req.url) } })
})

/** @see https://fetch.spec.whatwg.org/#cors-preflight-request */
export function isPreflight({ method, headers }: Request): boolean {
  return method === 'OPTIONS' && headers.has('Access-Control-Request-Method')
}
