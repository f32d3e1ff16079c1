import type { App, AppContext } from './context.ts'
import type { Hono } from 'hono'
import { createMiddleware } from 'hono/factory'
import { Refusal } from '../base/refusals.ts'
import { isApiPath, refuse } from './envelope.ts'

/** Paths whose GET changes something: it uses a state up, or begins or ends a session. */
const GETS_WITH_EFFECTS = [
  '/api/auth/sso',
  '/api/auth/sso_callback',
  '/api/auth/sso_get_token',
  '/api/auth/get_sso_id',
  '/api/auth/logout',
  '/account/sign-in/sso',
  '/oauth/authorize',
  '/oauth/end_session',
]

/**
 * Refuses HEAD where GET changes something. Hono answers HEAD with the route of GET, and link
 * previews and scanners send it.
 *
 * @see RFC 9110 section 9.2.1
 */
export const refuseHead = createMiddleware<App>(async function refuseHead(c, next) {
  if (c.req.method === 'HEAD' && GETS_WITH_EFFECTS.includes(c.req.path)) return c.notFound()
  return next()
})

/**
 * Answers requests that match no route: 404 for an unknown path, 405 (or the answer to OPTIONS) for
 * a known path. It reads the route table, so the two always agree.
 *
 * @see RFC 9110 sections 9.3.7 and 15.5.6
 */
export function answerUnrouted(app: Hono<App>) {
  const methodsOf = new Map<string, Set<string>>()
  for (const { method, path } of app.routes) {
    if (method === 'ALL') continue
    const methods = methodsOf.get(path) ?? new Set()
    methodsOf.set(path, methods.add(method))
    if (method === 'GET' && !GETS_WITH_EFFECTS.includes(path)) methods.add('HEAD')
  }
  return function unrouted(c: AppContext): Response {
    const methods = methodsOf.get(c.req.path)
    if (methods === undefined) {
      if (isApiPath(c.req.path)) return refuse(c, new Refusal('unknownPath'))
      return c.text('Not found\n', 404)
    }
    const allow = [...methods, 'OPTIONS'].join(', ')
    c.header('Allow', allow)
    if (c.req.method === 'OPTIONS') return c.body(null, 204)
    // Not thrown: an error thrown here skips the middleware that sets headers.
    return refuse(c, new Refusal('methodNotAllowed', { fill: allow }))
  }
}
