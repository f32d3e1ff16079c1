import { cleanFolder } from '../../core/base/clean-folder.ts'

/**
 * The paths of requests, as OpenList understands them (`pkg/utils/path.go`, and Go's `path`). A
 * different reading would let a request name a folder that is not looked at.
 */

/** Go's `path.Clean`: dot segments and empty segments are resolved, `..` at the root is the root. */
function cleanSegments(path: string): string {
  const isRooted = path.startsWith('/')
  const kept: string[] = []
  for (const segment of path.split('/')) {
    if (segment === '' || segment === '.') continue
    if (segment !== '..') kept.push(segment)
    else if (kept.length > 0 && kept.at(-1) !== '..') kept.pop()
    else if (!isRooted) kept.push('..')
  }
  return (isRooted ? '/' : '') + kept.join('/') || '.'
}

/** Go's `path.Join`. A backslash is a character of a name here. */
export function joinNames(...parts: string[]): string {
  const given = parts.filter((part) => part !== '')
  return given.length === 0 ? '' : cleanSegments(given.join('/'))
}

/**
 * OpenList's `JoinBasePath`: what a user names, below the user's base path.
 *
 * @returns `undefined` where OpenList refuses the path: its `..` were resolved. One that is left is
 *   part of a name (`a..b`).
 */
export function belowBase(basePath: string, path: string): string | undefined {
  const cleaned = cleanFolder(path)
  if (path.includes('..') && !cleaned.includes('..')) return undefined
  return joinNames(cleanFolder(basePath), cleaned)
}

export function parentOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/')) || '/'
}

export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}

/**
 * Go's `url.PathUnescape`.
 *
 * @returns `undefined` for an escape that is none.
 */
export function unescapePath(path: string): string | undefined {
  if (/%(?![\da-f]{2})/i.test(path)) return undefined
  return path.replaceAll(/(?:%[\da-f]{2})+/gi, (escapes) =>
    textOfBytes(
      escapes.replaceAll(/%(..)/g, (_, hex: string) =>
        String.fromCharCode(Number.parseInt(hex, 16)),
      ),
    ),
  )
}

/**
 * Reads a path that has a character for each byte, as `readSitePath` gives it. A name that is no
 * UTF-8 gets lone surrogates, which the path of no rule contains.
 */
export function textOfBytes(path: string): string {
  return path.split('/').map(textOfName).join('/')
}

function textOfName(name: string): string {
  const bytes = Uint8Array.from(name, (byte) => byte.charCodeAt(0))
  try {
    // A byte order mark is a part of the name.
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return name.replaceAll(/[\u0080-\u00ff]/g, (byte) =>
      String.fromCharCode(LONE_SURROGATES + byte.charCodeAt(0)),
    )
  }
}

const LONE_SURROGATES = 0xdc00

/** Tells whether a text has control characters (Unicode, Cc). */
export function hasControls(path: string): boolean {
  return /\p{Cc}/u.test(path)
}
