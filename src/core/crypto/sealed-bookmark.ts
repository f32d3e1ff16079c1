import {
  BOOKMARK_HEADER,
  bookmarkCookieIn,
  laterBookmark,
  readBookmark,
} from '../database/bookmarks.ts'
import type { KeyRing } from './key-ring.ts'
import { openBox, type RandomSource, sealBox } from './sealed-box.ts'

/** A box made for a bookmark does not open for anything else. */
const USE = 'bookmark'

/**
 * Seals a bookmark for a client. A bookmark counts what everybody has written: in clear, it would
 * tell a caller whether somebody else's request has written anything, such as a mail to a user who
 * exists.
 */
export function sealBookmark(deps: RandomSource, ring: KeyRing, bookmark: string): Promise<string> {
  const bytes = new Uint8Array(new TextEncoder().encode(bookmark))
  return sealBox(deps, ring, bytes, USE, 'ceremony')
}

/** Returns `undefined` for a text that is not a bookmark sealed by this site. */
export async function openBookmark(ring: KeyRing, sealed: unknown): Promise<string | undefined> {
  if (typeof sealed !== 'string') return undefined
  const bytes = await openBox(ring, sealed, USE, 'a bookmark', 'ceremony').catch(() => undefined)
  return readBookmark(new TextDecoder().decode(bytes))
}

/** Returns the latest state of the database that a caller names, in a header or a cookie. */
export async function openCallersBookmark(
  keyRing: () => Promise<KeyRing>,
  headers: Headers,
): Promise<string | undefined> {
  const sealed = [headers.get(BOOKMARK_HEADER), bookmarkCookieIn(headers)].filter(
    (text) => text !== null && text !== undefined,
  )
  if (sealed.length === 0) return undefined
  const ring = await keyRing().catch(() => undefined)
  if (ring === undefined) return undefined
  const [first, second] = await Promise.all(sealed.map((text) => openBookmark(ring, text)))
  return laterBookmark(first, second)
}
