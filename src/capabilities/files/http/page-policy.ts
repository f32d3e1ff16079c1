import * as base64url from 'jose/base64url'
import type { Deps } from '../../../core/deps.ts'

const NONCE_BYTES = 16
/**
 * What the web client shows in frames. A file of a user could frame its other pages, which answer
 * every path that is no file of the client's.
 */
const FRAMED = new Set(['/static/epub.js/viewer.html', '/streamer/mitm.html'])

/**
 * Gives the scripts of a page of the web client a nonce, and the page a policy that runs no others.
 * The web client shows an HTML file in a frame without a sandbox (`srcdoc`), where its scripts
 * could read the viewer's token. Such a frame inherits the policy, and its scripts have no nonce. A
 * form in it could post to the account pages, which believe their own origin; the web client sends
 * no forms.
 *
 * @param path Decoded.
 * @see https://www.w3.org/TR/CSP3/#strict-dynamic-usage
 */
export function withPagePolicy(
  { randomBytes }: Pick<Deps, 'randomBytes'>,
  page: Response,
  path: string,
): Response {
  const framedBy = FRAMED.has(path) ? "'self'" : "'none'"
  const nonce = base64url.encode(randomBytes(NONCE_BYTES))
  const rewritten = new HTMLRewriter()
    .on('script', { element: (script) => void script.setAttribute('nonce', nonce) })
    .transform(page)
  const { headers } = rewritten
  headers.set(
    'Content-Security-Policy',
    `script-src 'nonce-${nonce}' 'strict-dynamic' 'wasm-unsafe-eval' 'unsafe-eval'; object-src 'none'; base-uri 'self'; form-action 'none'; frame-ancestors ${framedBy}`,
  )
  // Each page is another one, so no copy of it may be used again.
  headers.set('Cache-Control', 'no-store')
  for (const name of ['ETag', 'Last-Modified', 'Content-Length', 'Accept-Ranges'])
    headers.delete(name)
  return rewritten
}
