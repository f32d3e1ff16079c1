import { createMiddleware } from 'hono/factory'
import { Refusal } from '../../core/base/refusals.ts'
import type { App } from './context.ts'
import { isApiPath } from './envelope.ts'

/**
 * Refuses plain http: API paths get a refusal, other paths a redirect to https. Only `npm start`
 * sets the binding `ALLOW_HTTP`; a deployed Worker does not have it, and no header replaces it.
 */
export const httpsOnly = createMiddleware<App>(async function httpsOnly(c, next) {
  if (c.req.url.startsWith('https:') || c.env.ALLOW_HTTP === 'true') return next()
  if (isApiPath(c.req.path)) throw new Refusal('httpsRequired')
  const url = new URL(c.req.url)
  url.protocol = 'https:'
  url.port = ''
  return c.redirect(url.href, 308)
})
