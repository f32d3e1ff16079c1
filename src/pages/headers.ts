import { createMiddleware } from 'hono/factory'
import type { App } from '../http/context.ts'

/** Nothing from elsewhere, nothing inline; `data:` is for QR codes and the style sheet's own icons. */
const POLICY = [
  "default-src 'none'",
  "style-src 'self'",
  "script-src 'self'",
  "img-src 'self' data:",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** What a page needs beyond an answer of the API. */
export const pageHeaders = createMiddleware<App>(async function pageHeaders(c, next) {
  await next()
  c.header('Content-Security-Policy', POLICY)
  // Without any referrer a browser hides the origin of a form as well, by which we know our own.
  c.header('Referrer-Policy', 'same-origin')
  c.header('Cross-Origin-Opener-Policy', 'same-origin')
  if (!c.res.headers.has('Cache-Control')) c.header('Cache-Control', 'no-store')
})
