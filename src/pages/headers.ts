import { createMiddleware } from 'hono/factory'
import type { App } from '../http/context.ts'

/** No other hosts, nothing inline; `data:` is for QR codes and the icons inside the style sheet. */
const POLICY = [
  "default-src 'none'",
  "style-src 'self'",
  "script-src 'self'",
  "img-src 'self' data:",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ')

/**
 * A program opens these pages in a window of its own, and the page after them needs
 * `window.opener`: the header would cut it off. They show nothing of an account.
 */
const KEEPS_OPENER = /^\/(?:oauth|account\/(?:sign-in|language|announcement))(?:\/|$)/

/** Sets the headers of pages, in addition to those of every answer. */
export const pageHeaders = createMiddleware<App>(async function pageHeaders(c, next) {
  await next()
  c.header('Content-Security-Policy', POLICY)
  // With `no-referrer`, browsers send `Origin: null` with forms, and `sameOrigin` refuses them.
  c.header('Referrer-Policy', 'same-origin')
  // A window that the stock client has opened must reach its opener (`sso/answers.tsx`).
  if (!KEEPS_OPENER.test(c.req.path) && !c.res.headers.has('Cross-Origin-Opener-Policy'))
    c.header('Cross-Origin-Opener-Policy', 'same-origin')
  if (!c.res.headers.has('Cache-Control')) c.header('Cache-Control', 'no-store')
})
