import { isClientSignIn, readSitePath } from '../../core/base/site-areas.ts'

const MAX_CHARACTERS = 1024
/** Requests of programs are longer (`openid/authorization-request.ts`). */
const MAX_REQUEST_CHARACTERS = 5000

/**
 * Matches a page of this site, perhaps with a query. A path has literal segments only: no dot, no
 * backslash, no second slash, nothing encoded and no control character, so no browser reads it as
 * another host or another path.
 */
const PAGE = /^\/account(?:\/[\w-]+)*(?:\?[\w.*%&=+-]+)?$/

/** Matches the request of a program for a sign-in. */
const REQUEST = /^\/oauth\/authorize\?[\w.*%&=+-]+$/

/** Checks a path that a request supplies and that a redirect leads to; empty for any other text. */
export function parseLocalPath(text: string): string {
  if (text.length <= MAX_REQUEST_CHARACTERS && REQUEST.test(text)) return text
  return text.length <= MAX_CHARACTERS && PAGE.test(text) ? text : ''
}

/** Tells whether a path of this site is the request of a program for a sign-in. */
export function isRequestPath(path: string): boolean {
  return REQUEST.test(path)
}

/** Returns the path and the query of a page that a request asks for, without the notice. */
export function localPathOf(url: string): string {
  const { pathname, searchParams } = new URL(url)
  searchParams.delete('done')
  searchParams.delete('undo')
  const query = String(searchParams)
  return parseLocalPath(query === '' ? pathname : `${pathname}?${query}`)
}

/** Any origin: what leaves it is no path. */
const SOME_ORIGIN = 'https://site.example'
/** No browser reads a backslash, a blank or a control character in an address as it stands. */
// oxlint-disable-next-line no-control-regex -- These are what is refused.
const UNSAFE = /[\\\s\u0000-\u001f\u007f]/

/**
 * Checks a path of the file server's web client that a request supplies and that a redirect leads
 * to. Its own sign-in page is none.
 *
 * @returns The path as browsers resolve and encode it, with its query; empty for any other text.
 */
export function parseClientPath(text: string): string {
  if (!text.startsWith('/') || text.length > MAX_CHARACTERS || UNSAFE.test(text)) return ''
  if (!URL.canParse(text, SOME_ORIGIN)) return ''
  const { origin, pathname, search } = new URL(text, SOME_ORIGIN)
  const path = pathname + search
  // `/.//host` is `//host`, which leads to another host.
  if (origin !== SOME_ORIGIN || path.startsWith('//') || path.length > MAX_CHARACTERS) return ''
  const found = readSitePath(pathname)
  return found?.area === 'client' && !isClientSignIn(found.decoded) ? path : ''
}
