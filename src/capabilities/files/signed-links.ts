import { cleanFolder } from '../../core/base/clean-folder.ts'
import { fromBase64Url } from '../../core/base/encoding.ts'
import type { FileServer } from '../../core/base/file-server.ts'

/** A file in an archive has another key than the archive itself. */
const ARCHIVE_TREES = new Set(['ad', 'ap', 'ae'])
const SIGNED_TREES = new Set(['d', 'p', ...ARCHIVE_TREES])

/**
 * Tells whether OpenList signed a link to a file, and the link has not expired. Shares (`/sd`,
 * `/sad`) have no signature: their id and their password open them.
 *
 * @param path Decoded byte by byte, in the area `raw`.
 * @param sign The value of `sign` in the query: base64url of HMAC-SHA-256, a colon, and the end of
 *   the link (Unix time, seconds; 0 for none).
 * @param now Unix time, milliseconds.
 * @see `pkg/sign/hmac.go` and `server/middlewares/down.go` of OpenList 4.2
 */
export async function isLinkSigned(
  { token }: Pick<FileServer, 'token'>,
  path: string,
  sign: string,
  now: number,
): Promise<boolean> {
  const [, tree = '', rest = ''] = /^\/(\w+)(.*)$/s.exec(path) ?? []
  if (!SIGNED_TREES.has(tree)) return true
  // A program may put a slash at the end of an address, and OpenList takes it off.
  const [, text = '', end = ''] = /^([\w-]{43})=:(\d{1,15})\/?$/.exec(sign) ?? []
  const mac = fromBase64Url(text)
  const isOver = Number(end) !== 0 && Number(end) < Math.floor(now / 1000)
  if (mac === undefined || isOver) return false
  const secret = ARCHIVE_TREES.has(tree) ? `${token}-archive` : token
  const signed = bytesOf(`${cleanFolder(rest)}:${end}`)
  const hmac = { name: 'HMAC', hash: 'SHA-256' }
  const secretBytes = new TextEncoder().encode(secret)
  const key = await crypto.subtle.importKey('raw', secretBytes, hmac, false, ['verify'])
  return crypto.subtle.verify('HMAC', key, mac, signed)
}

/** @param text Each character is a byte. */
function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(text, (character) => character.charCodeAt(0))
}
