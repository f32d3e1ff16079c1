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
  const query = String(searchParams)
  return parseLocalPath(query === '' ? pathname : `${pathname}?${query}`)
}
