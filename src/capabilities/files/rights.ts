import type { AppPasswordScope } from '../../core/access/scopes.ts'

/**
 * The right that a request to OpenList's interface needs: nothing, a user with a session or an app
 * password of this scope, or an admin.
 */
export type FileRight = 'nothing' | 'admin' | Extract<AppPasswordScope, `files:${string}`>

const READING =
  /^\/api\/(?:fs\/(?:list|get|search|dirs|other|archive\/(?:meta|list))|share\/(?:list|get)|task\/[^/]+\/(?:done|undone|info))$/

/**
 * Requests that an admin may make there in a session that is not fresh: they read, take access
 * away, and begin or end work. All others give access (a storage may be any folder of the machine,
 * and the end of a meta opens what it closes), and so may those that a later OpenList adds.
 */
const FREE_ADMIN_PATH =
  /^\/api\/admin\/(?:(?:meta|storage)\/(?:list|get)|storage\/(?:disable|load_all)|driver\/(?:list|names|info)|message\/get|index\/(?:build|update|stop|clear|progress)|scan\/(?:start|stop|progress)|task\/\w+\/(?:undone|done|info|(?:cancel|delete|retry)(?:_some)?|clear_done|clear_succeeded|retry_failed))$/
/** Shares outlive the session of who made them, and those of an admin are of the whole tree. */
const FREE_SHARE_PATH = /^\/api\/share\/(?:list|get|disable|delete)$/

/**
 * Tells whether a request needs a fresh session when it acts as the admin of the file server. The
 * settings decide for themselves, by their values.
 *
 * @param path Decoded, in the area `api`.
 */
export function isGuardedForAdmin(path: string): boolean {
  if (rightOf(path) === 'admin') return !FREE_ADMIN_PATH.test(path)
  return path.startsWith('/api/share/') && !FREE_SHARE_PATH.test(path)
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

export const READING_METHODS: readonly string[] = ['GET', 'HEAD']

/** The body of such a request has no meaning (RFC 9110 section 9.3.1), and caches keep its answer. */
export function isReading(method: string): boolean {
  return READING_METHODS.includes(method)
}
