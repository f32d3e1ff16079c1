import { createMiddleware } from 'hono/factory'
import { PASSKEY_SCRIPT, SCRIPT } from '../../../.build/assets.ts'
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
 * Allows one script that stands in the page.
 *
 * @see https://www.w3.org/TR/CSP3/#grammardef-hash-source
 */
export function policyWithScript(hash: string): string {
  return POLICY.replace("script-src 'self'", `script-src 'self' '${hash}'`)
}

/** Allows the widget of Cloudflare Turnstile, on the page of registration only. */
export function policyWithTurnstile(): string {
  const host = 'https://challenges.cloudflare.com'
  return `${POLICY.replace("script-src 'self'", `script-src 'self' ${host}`)}; frame-src ${host}`
}

/**
 * Allows the one form of a page to go to a program, which may redirect it further.
 *
 * @param protocol `https:`, or `http:` for a program on this computer.
 */
export function policyWithForm(protocol: string): string {
  return POLICY.replace("form-action 'self'", `form-action ${protocol}`)
}

/**
 * A program or the stock client opens these pages in a window of its own, and the page after them
 * needs `window.opener`: the header would cut it off, on a redirect as well. They show nothing of
 * an account.
 */
const KEEPS_OPENER = /^\/(?:oauth|api\/auth|account\/(?:sign-in|language|announcement))(?:\/|$)/

/** Loads what pages need, and sets their headers, in addition to those of every answer. */
export const pageHeaders = createMiddleware<App>(async function pageHeaders(c, next) {
  await c.get('preparePages')(c)
  await next()
  if (!c.res.headers.has('Content-Security-Policy')) c.header('Content-Security-Policy', POLICY)
  // A user's file may be a script at this origin, so the scripts of these pages are named.
  if (c.get('deps').fileServer() !== undefined) {
    const policy = c.res.headers.get('Content-Security-Policy') ?? ''
    const { origin } = new URL(c.req.url)
    const named = [SCRIPT, PASSKEY_SCRIPT].map((path) => origin + path).join(' ')
    c.header('Content-Security-Policy', policy.replace("script-src 'self'", `script-src ${named}`))
  }
  // With `no-referrer`, browsers send `Origin: null` with forms, and `sameOrigin` refuses them.
  if (c.res.headers.get('Referrer-Policy') !== 'strict-origin')
    c.header('Referrer-Policy', 'same-origin')
  if (!KEEPS_OPENER.test(c.req.path)) c.header('Cross-Origin-Opener-Policy', 'same-origin')
  if (!c.res.headers.has('Cache-Control')) c.header('Cache-Control', 'no-store')
})
