/**
 * A bookmark is D1's name for a state of the database. A read with a bookmark returns nothing older
 * than that state. Clients get it sealed (`crypto/sealed-bookmark.ts`). It grants no access.
 *
 * @see https://developers.cloudflare.com/d1/best-practices/read-replication/
 */
const BOOKMARK = /^[\da-f]{8}-[\da-f]{8}-[\da-f]{8}-[\da-f]{32}$/

/** Returns `undefined` for a value that is not a bookmark. */
export function readBookmark(text: string): string | undefined {
  return BOOKMARK.test(text) ? text : undefined
}

/** Returns the later of two states. Bookmarks sort as texts, and D1's own sessions rely on that too. */
export function laterBookmark(a: string | undefined, b: string | undefined): string | undefined {
  if (a === undefined || b === undefined) return a ?? b
  return a < b ? b : a
}

export const BOOKMARK_HEADER = 'X-D1-Bookmark'
export const BOOKMARK_COOKIE = 'latchkey_bookmark'
const COOKIE_PATTERN = new RegExp(`(?:^|; )${BOOKMARK_COOKIE}=([^;]*)`)

export function bookmarkCookieIn(headers: Headers): string | undefined {
  return COOKIE_PATTERN.exec(headers.get('Cookie') ?? '')?.[1]
}
