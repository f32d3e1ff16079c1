/**
 * The server that answers a path of a site with a file server. `latchkey`: this service. `nobody`:
 * neither, because these doors of the file server have credentials of their own. The others are the
 * file server's: `api` its interface, `dav` WebDAV, `raw` the bytes of files, `client` its web
 * client and everything else.
 */
export type SiteArea = 'latchkey' | 'nobody' | 'api' | 'dav' | 'raw' | 'client'

/** Whole trees, the most special first. */
const TREES: readonly (readonly [SiteArea, readonly string[]])[] = [
  [
    'latchkey',
    [
      '/ping',
      '/api/auth',
      '/api/authn',
      '/api/me',
      '/api/admin/user',
      '/api/admin/group',
      '/api/admin/folder_rule',
      '/api/admin/notice',
      '/api/admin/health',
      '/api/admin/link',
      '/api/admin/invitation',
      '/api/sftp',
      '/api/ldap',
      '/api/forward_auth',
      '/account',
      '/oauth',
      '/.well-known',
      '/docs',
      '/openapi.json',
    ],
  ],
  ['nobody', ['/s3', '/mcp', '/debug']],
  ['api', ['/api']],
  ['dav', ['/dav']],
  ['raw', ['/d', '/p', '/ad', '/ap', '/ae', '/sd', '/sad']],
]

/**
 * Finds who answers a path. OpenList's router decodes a path once before it looks for the route, so
 * the decoded path counts. A path that would belong to somebody else once its dot segments, empty
 * segments, backslashes and parameters (`;…`) are resolved is refused, because a proxy or a later
 * version may resolve them.
 *
 * @param path The path of the request, encoded.
 * @returns The decoded path and its area; `undefined` for a path that is refused: one of two
 *   readings, with control characters, or with an escape that is none.
 */
export function readSitePath(path: string): { area: SiteArea; decoded: string } | undefined {
  if (/%(?![\da-f]{2})/i.test(path)) return undefined
  // Byte by byte: the names of the trees are ASCII, and names of files may be in any encoding.
  const decoded = path.replaceAll(/%([\da-f]{2})/gi, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  )
  // oxlint-disable-next-line no-control-regex -- These are what is looked for.
  if (/[\u0000-\u001f\u007f]/.test(decoded)) return undefined
  const area = areaOf(decoded)
  // Most paths are resolved already.
  if (!/[\\;]|\/\.|\/\//.test(decoded)) return { area, decoded }
  const isOneReading = [true, false].every((merges) => areaOf(resolve(decoded, merges)) === area)
  return isOneReading ? { area, decoded } : undefined
}

function areaOf(decoded: string): SiteArea {
  const isIn = (tree: string) => decoded === tree || decoded.startsWith(`${tree}/`)
  return TREES.find(([, trees]) => trees.some(isIn))?.[0] ?? 'client'
}

/** @param mergesFirst Whether `//` is one slash before `..` takes a segment away, or after. */
function resolve(decoded: string, mergesFirst: boolean): string {
  const segments: string[] = []
  for (const segment of decoded.replaceAll('\\', '/').split('/').slice(1)) {
    const [name = ''] = segment.split(';')
    if (name === '..') segments.pop()
    else if (name !== '.' && !(mergesFirst && name === '')) segments.push(name)
  }
  return `/${segments.filter((name) => name !== '').join('/')}`
}

/**
 * Tells whether the web client would show its sign-in page at a path: its router reads paths
 * without regard to case, accents and empty segments.
 *
 * @param decoded In the area `client`.
 */
export function isClientSignIn(decoded: string): boolean {
  const path = decoded.split('/').filter(Boolean).join('/')
  return path.localeCompare('@login', undefined, { sensitivity: 'base' }) === 0
}
