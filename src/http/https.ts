import { createMiddleware } from 'hono/factory'
import { Refusal } from '../base/refusals.ts'
import type { App } from './context.ts'
import { isApiPath } from './envelope.ts'

/**
 * Refuses plain http: programs get a refusal, browsers are sent to https. `ALLOW_HTTP` is a binding
 * that only the local start sets; a header can't say so, and a deployed Worker has no such
 * binding.
 */
export const httpsOnly = createMiddleware<App>(async function httpsOnly(c, next) {
  if (c.req.url.startsWith('https:') || c.env.ALLOW_HTTP === 'true') return next()
  if (isApiPath(c.req.path)) throw new Refusal('httpsRequired')
  const url = new URL(c.req.url)
  url.protocol = 'https:'
  url.port = ''
  return c.redirect(url.href, 308)
})
