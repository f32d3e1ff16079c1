import { createMiddleware } from 'hono/factory'
import type { App, AppContext } from '../http/context.ts'
import { Refusal } from '../base/refusals.ts'

const SAFE_METHODS: readonly string[] = ['GET', 'HEAD', 'OPTIONS']

/**
 * Refuses what was not sent by a page of ours, before anything else is looked at. Content types
 * don't matter: some of these paths read no body, and `hono/csrf` lets every type but a form's
 * pass.
 *
 * @throws {Refusal} `foreignForm`.
 */
export const sameOrigin = createMiddleware<App>(async function sameOrigin(c, next) {
  if (!SAFE_METHODS.includes(c.req.method) && !isOwn(c)) throw new Refusal('foreignForm')
  await next()
})

/**
 * Whether a page of ours sent it. No script can set either header. Browsers send `Sec-Fetch-Site`
 * over https and on this machine, so it decides: behind a proxy that ends https, our own origin is
 * another than the browser's. Elsewhere they send `Origin` with every POST.
 *
 * Without both it is refused: the session cookie is SameSite=Strict, but it comes along from other
 * hosts of the same site, and the form for signing in needs no cookie. Every browser that knows
 * SameSite sends `Origin`; programs have the API.
 *
 * @see https://www.w3.org/TR/fetch-metadata/
 */
function isOwn(c: AppContext): boolean {
  const site = c.req.header('Sec-Fetch-Site')
  if (site !== undefined) return site === 'same-origin'
  return c.req.header('Origin') === new URL(c.req.url).origin
}
