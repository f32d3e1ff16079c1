import { nameOf } from '../openlist-paths.ts'

/** What OpenList says of a folder without a time: Go's zero time. */
const NO_TIME = '0001-01-01T00:00:00Z'
const NO_HTTP_TIME = 'Mon, 01 Jan 0001 00:00:00 GMT'
const LOCKS =
  '<D:supportedlock><D:lockentry xmlns:D="DAV:"><D:lockscope><D:exclusive/></D:lockscope><D:locktype><D:write/></D:locktype></D:lockentry></D:supportedlock>'
/** The types of an object in lists; `fs/get` knows the types of files alone. */
const FOLDER_TYPE = 1
const UNKNOWN_TYPE = 0

function folderObject(name: string, type: number) {
  return {
    name,
    size: 0,
    is_dir: true,
    modified: NO_TIME,
    created: NO_TIME,
    sign: '',
    thumb: '',
    type,
    hashinfo: 'null',
    hash_info: null,
  }
}

interface Page {
  page: number
  per_page: number
}

/** The data of `fs/list` (`FsListResp`). */
export function listOfWay(names: readonly string[], { page, per_page: size }: Page) {
  const shown =
    size < 1 ? names : names.slice((Math.max(page, 1) - 1) * size, Math.max(page, 1) * size)
  return {
    content: shown.length === 0 ? null : shown.map((name) => folderObject(name, FOLDER_TYPE)),
    total: names.length,
    readme: '',
    header: '',
    write: false,
    write_content_bypass: false,
    provider: 'unknown',
  }
}

function folderName(folder: string): string {
  return nameOf(folder) || 'root'
}

/**
 * The data of `fs/get` (`FsGetResp`).
 *
 * @param folder Full and clean.
 */
export function folderOnWay(folder: string) {
  return {
    ...folderObject(folderName(folder), UNKNOWN_TYPE),
    raw_url: '',
    readme: '',
    header: '',
    provider: 'unknown',
    related: null,
  }
}

/** The data of `fs/dirs`. */
export function dirsOfWay(names: readonly string[]) {
  return names.map((name) => ({ name, modified: NO_TIME }))
}

/**
 * The answer of WebDAV.
 *
 * @param folder Full and clean.
 * @param path The same folder below the base path of its user.
 * @param names Its folders; none for depth 0.
 * @see RFC 4918 section 9.1
 */
export function multistatusOfWay(folder: string, path: string, names: readonly string[]): string {
  const inside = path === '/' ? '/' : `${path}/`
  const folders = [
    { href: inside, name: folderName(folder) },
    ...names.map((name) => ({ href: `${inside}${name}/`, name })),
  ]
  const responses = folders.map(({ href, name }) => responseOf(href, name)).join('')
  return `<?xml version="1.0" encoding="UTF-8"?><D:multistatus xmlns:D="DAV:">${responses}</D:multistatus>`
}

function responseOf(path: string, name: string): string {
  const href = `/dav${path.split('/').map(encodeURIComponent).join('/')}`
  const props = [
    '<D:resourcetype><D:collection xmlns:D="DAV:"/></D:resourcetype>',
    `<D:displayname>${xmlText(name)}</D:displayname>`,
    `<D:getlastmodified>${NO_HTTP_TIME}</D:getlastmodified>`,
    `<D:creationdate>${NO_TIME}</D:creationdate>`,
    LOCKS,
  ]
  return `<D:response><D:href>${xmlText(href)}</D:href><D:propstat><D:prop>${props.join('')}</D:prop><D:status>HTTP/1.1 200 OK</D:status></D:propstat></D:response>`
}

function xmlText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
