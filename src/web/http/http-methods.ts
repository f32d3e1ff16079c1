import type { App, AppContext } from './context.ts'
import type { Hono } from 'hono'
import { createMiddleware } from 'hono/factory'
import { findTargetHandler } from 'hono/utils/handler'
import { Refusal } from '../../core/base/refusals.ts'
import { isApiPath, refuse } from './envelope.ts'

/**
 * Marks a route whose GET changes something: it uses a state up, or begins or ends a session. Its
 * HEAD is refused: Hono answers HEAD with the route of GET, and link previews and scanners send
 * it.
 *
 * @see RFC 9110 section 9.2.1
 */
export const getHasEffect = createMiddleware<App>(async function getHasEffect(c, next) {
  return c.req.method === 'HEAD' ? c.notFound() : next()
})

/** Returns the methods of each literal path of the route table. */
function readMethods(app: Hono<App>): Map<string, Set<string>> {
  const methodsOf = new Map<string, Set<string>>()
  const withoutHead = new Set<string>()
  for (const { method, path, handler } of app.routes) {
    if (method === 'ALL') continue
    const methods = methodsOf.get(path) ?? new Set()
    methodsOf.set(path, methods.add(method))
    if (method === 'GET') methods.add('HEAD')
    if (findTargetHandler(handler) === getHasEffect) withoutHead.add(path)
  }
  for (const path of withoutHead) methodsOf.get(path)?.delete('HEAD')
  return methodsOf
}

/** Sets `Allow`, and returns the refusal of any other method. @see RFC 9110 section 15.5.6 */
export function notAllowed(c: AppContext, allowed: readonly string[]): Refusal {
  const methods = allowed.join(', ')
  c.header('Allow', methods)
  return new Refusal('methodNotAllowed', { values: { methods } })
}

/**
 * Answers requests that match no route: 404 for an unknown path, 405 (or the answer to OPTIONS) for
 * a known path. It reads the route table, at the first such request, so the two always agree.
 *
 * @see RFC 9110 sections 9.3.7 and 15.5.6
 */
export function answerUnrouted(app: Hono<App>) {
  let methodsOf: Map<string, Set<string>> | undefined
  return function unrouted(c: AppContext): Response {
    methodsOf ??= readMethods(app)
    const methods = methodsOf.get(c.req.path)
    if (methods === undefined) {
      if (isApiPath(c.req.path)) return refuse(c, new Refusal('unknownPath'))
      return c.text('Not found\n', 404)
    }
    // Not thrown: an error thrown here skips the middleware that sets headers.
    const refusal = notAllowed(c, [...methods, 'OPTIONS'])
    return c.req.method === 'OPTIONS' ? c.body(null, 204) : refuse(c, refusal)
  }
}
