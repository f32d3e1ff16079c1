import type { AppContext } from './context.ts'

/**
 * Tells whether a page of this origin sent the request. No script can set these headers.
 *
 * Browsers send `Sec-Fetch-Site` over https and to localhost. It decides when it is present,
 * because the Worker does not know the browser's origin behind a proxy that ends https. Over plain
 * http, browsers send `Origin` with every POST, and `Referer` with a GET.
 *
 * @see https://www.w3.org/TR/fetch-metadata/
 */
export function isFromPageHere(c: AppContext): boolean {
  const site = c.req.header('Sec-Fetch-Site')
  if (site !== undefined) return site === 'same-origin'
  const { origin } = new URL(c.req.url)
  const sender = c.req.header('Origin')
  if (sender !== undefined) return sender === origin
  const page = c.req.header('Referer') ?? ''
  return URL.canParse(page) && new URL(page).origin === origin
}

/** Tells whether another site has sent the browser here: it withholds its SameSite=Strict cookies. */
export function isFromAnotherSite(c: AppContext): boolean {
  return c.req.header('Sec-Fetch-Site') === 'cross-site'
}
