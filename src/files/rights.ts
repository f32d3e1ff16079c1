import type { AppPasswordScope } from '../access/scopes.ts'

/**
 * What a request to OpenList's interface needs: nothing, a user with a session or an app password
 * of this scope, or an admin.
 */
export type FileRight = 'nothing' | 'admin' | Extract<AppPasswordScope, `files:${string}`>

const READING =
  /^\/api\/(?:fs\/(?:list|get|search|dirs|other|archive\/(?:meta|list))|share\/(?:list|get)|task\/[^/]+\/(?:done|undone|info))$/

/**
 * Settings of OpenList with which the thief of a session could put scripts into its pages, or open
 * files to strangers: another value needs a fresh session. Title, pictures and colour stand in its
 * pages as they are.
 */
const GUARDED_SETTING =
  /^(?:customize_head|customize_body|site_title|logo|favicon|main_color|filter_readme_scripts|(?:iframe|external)_previews|sign_all|link_expiration)$/i
/** A storage may be any folder of the machine. */
const GUARDED_PATH = /^\/api\/admin\/storage\/(?:create|update)$/

export function isGuardedSetting(key: string): boolean {
  return GUARDED_SETTING.test(key)
}

/** @param path Decoded, in the area `api`. */
export function isGuardedPath(path: string): boolean {
  return GUARDED_PATH.test(path)
}

/**
 * Tells whether a request of the interface sends a file. All others are read before it is asked who
 * sends them.
 *
 * @param path Decoded, in the area `api`.
 */
export function isUpload(method: string, path: string): boolean {
  return method === 'PUT' || /^\/api\/fs\/torrent\/(?:upload_)?parse$/.test(path)
}

/** @param path Decoded, in the area `api`. */
export function rightOf(path: string): FileRight {
  if (/^\/api\/admin(?:\/|$)/.test(path)) return 'admin'
  if (!/^\/api\/(?:fs|share|task)(?:\/|$)/.test(path)) return 'nothing'
  return READING.test(path) ? 'files:read' : 'files:write'
}

const DAV_READING = new Set(['GET', 'HEAD', 'OPTIONS', 'PROPFIND'])
const DAV_LOCKING = new Set(['LOCK', 'UNLOCK'])

/** The methods that pass to the file server; under `/dav` those of RFC 4918 as well. */
export const FILE_METHODS: readonly string[] = ['GET', 'HEAD', 'POST', 'PUT', 'OPTIONS']
export const DAV_METHODS: readonly string[] = [
  ...FILE_METHODS,
  'DELETE',
  'PROPFIND',
  'PROPPATCH',
  'MKCOL',
  'COPY',
  'MOVE',
  'LOCK',
  'UNLOCK',
]

export function davRightOf(method: string): 'files:read' | 'files:write' {
  return DAV_READING.has(method) ? 'files:read' : 'files:write'
}

/** OpenList lets those who may only read lock files, and so keep others from writing them. */
export function isLocking(method: string): boolean {
  return DAV_LOCKING.has(method)
}

/** The body of such a request has no meaning (RFC 9110 section 9.3.1), and caches keep its answer. */
export function isReading(method: string): boolean {
  return method === 'GET' || method === 'HEAD'
}
