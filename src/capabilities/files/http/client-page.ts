import * as base64url from 'jose/base64url'
import { CLIENT_SCRIPT } from '../../../../.build/assets.ts'
import type { FileServer } from '../../../core/base/file-server.ts'
import type { Deps } from '../../../core/deps.ts'

const NONCE_BYTES = 16
/**
 * The pages that the web client shows in frames. A file of a user could frame its other pages,
 * which answer every path that is no file of the client's.
 */
const FRAMED = new Set(['/static/epub.js/viewer.html', '/streamer/mitm.html'])

/**
 * Puts our script before those of a page of the web client, and gives the page a policy that runs
 * no others than these: each gets a nonce. The web client shows an HTML file in a frame without a
 * sandbox (`srcdoc`), where its scripts could act as the viewer. Such a frame inherits the policy,
 * and its scripts have no nonce. A form in it could post to the account pages, which believe their
 * own origin; the web client sends no forms.
 *
 * @param path Decoded.
 * @param accounts The origin of the account pages; empty where it is the same.
 * @see https://www.w3.org/TR/CSP3/#strict-dynamic-usage
 */
export function clientPage(
  { randomBytes }: Pick<Deps, 'randomBytes'>,
  { hasPagePolicy }: FileServer,
  page: Response,
  { path, accounts }: { path: string; accounts: string },
): Response {
  const isFramed = FRAMED.has(path)
  const nonce = base64url.encode(randomBytes(NONCE_BYTES))
  const attributes = `${hasPagePolicy ? ` nonce="${nonce}"` : ''} data-account="${accounts}/account"`
  const script = `<script${attributes}>${CLIENT_SCRIPT}</script>`
  const rewriter = new HTMLRewriter()
  if (!isFramed)
    rewriter.on('head', { element: (head) => void head.prepend(script, { html: true }) })
  if (hasPagePolicy)
    rewriter.on('script', { element: (found) => void found.setAttribute('nonce', nonce) })
  const rewritten = rewriter.transform(page)
  const { headers } = rewritten
  const framedBy = isFramed ? "'self'" : "'none'"
  if (hasPagePolicy)
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
