import { createMiddleware } from 'hono/factory'
import type { App, AppContext } from '../http/context.ts'
import { isFromPageHere } from '../http/page-here.ts'
import { Refusal } from '../../core/base/refusals.ts'

const SAFE_METHODS: readonly string[] = ['GET', 'HEAD', 'OPTIONS']

/**
 * Refuses every change that a page of this site did not send (cross-site request forgery).
 * `hono/csrf` is not enough: it checks only the content types of forms, and some of these paths
 * read no body.
 *
 * @throws {Refusal} `foreignForm`.
 */
export const sameOrigin = createMiddleware<App>(async function sameOrigin(c, next) {
  if (!SAFE_METHODS.includes(c.req.method) && !isOwn(c)) throw new Refusal('foreignForm')
  await next()
})

/**
 * Tells whether a page of this site sent a form. A request with neither header is refused.
 * SameSite=Strict does not replace this check: other hosts of the same site send the cookie too,
 * and the sign-in form needs no cookie. Every browser that supports SameSite sends `Origin`, and
 * programs use the API.
 */
function isOwn(c: AppContext): boolean {
  const tells = ['Sec-Fetch-Site', 'Origin'].some((name) => c.req.header(name) !== undefined)
  return tells && isFromPageHere(c)
}
