/**
 * What D1 calls a state of the database: whoever shows one reads nothing older. It proves nothing
 * and opens nothing.
 *
 * @see https://developers.cloudflare.com/d1/best-practices/read-replication/
 */
const BOOKMARK = /^[\da-f]{8}-[\da-f]{8}-[\da-f]{8}-[\da-f]{32}$/

/** @returns `undefined` for anything but a bookmark. */
export function readBookmark(text: unknown): string | undefined {
  return typeof text === 'string' && BOOKMARK.test(text) ? text : undefined
}

/** The later of two states: bookmarks sort as texts do, which D1's own sessions rely on as well. */
export function laterBookmark(
  one: string | undefined,
  other: string | undefined,
): string | undefined {
  if (one === undefined || other === undefined) return one ?? other
  return one < other ? other : one
}

export const BOOKMARK_HEADER = 'X-D1-Bookmark'
export const BOOKMARK_COOKIE = 'latchkey_bookmark'
const COOKIE_PATTERN = new RegExp(`(?:^|; )${BOOKMARK_COOKIE}=([^;]*)`)

/** The latest state of the database that a caller says to have seen, in a header or a cookie. */
export function callersBookmark(headers: Headers): string | undefined {
  const [, cookie] = COOKIE_PATTERN.exec(headers.get('Cookie') ?? '') ?? []
  return laterBookmark(readBookmark(headers.get(BOOKMARK_HEADER)), readBookmark(cookie))
}
