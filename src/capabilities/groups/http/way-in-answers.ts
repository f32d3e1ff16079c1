import * as v from 'valibot'
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
export function listOfWay(names: readonly string[], page: Page) {
  const empty = {
    content: null,
    total: 0,
    readme: '',
    header: '',
    write: false,
    write_content_bypass: false,
    provider: 'unknown',
  }
  return listWithWay(empty, names, page)
}

const objectSchema = v.looseObject({ name: v.string(), is_dir: v.boolean() })
const listSchema = v.looseObject({
  content: v.nullable(v.array(objectSchema)),
  total: v.number(),
})

/**
 * Adds folders to the data of `fs/list`: they follow the last object of OpenList's, and in their
 * page they stand before the files.
 *
 * @returns `undefined` for data of another kind.
 */
export function listWithWay(
  data: unknown,
  names: readonly string[],
  { page, per_page: size }: Page,
) {
  const listed = v.safeParse(listSchema, data)
  if (!listed.success) return undefined
  const { content, total, ...others } = listed.output
  const objects = content ?? []
  const missing = names.filter((name) => objects.every((object) => object.name !== name))
  const before = (Math.max(page, 1) - 1) * size - total
  const here = size < 1 ? missing : missing.slice(Math.max(before, 0), Math.max(before + size, 0))
  const files = objects.findIndex(({ is_dir: isFolder }) => !isFolder)
  const start = files === -1 ? objects.length : files
  const shown = objects.toSpliced(start, 0, ...here.map((name) => folderObject(name, FOLDER_TYPE)))
  return { content: shown.length === 0 ? null : shown, total: total + missing.length, ...others }
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

const dirsSchema = v.nullable(v.array(v.looseObject({ name: v.string() })))

/** Adds folders to the data of `fs/dirs`. @returns `undefined` for data of another kind. */
export function dirsWithWay(data: unknown, names: readonly string[]) {
  const listed = v.safeParse(dirsSchema, data)
  if (!listed.success) return undefined
  const dirs = listed.output ?? []
  const missing = names.filter((name) => dirs.every((dir) => dir.name !== name))
  return [...dirs, ...dirsOfWay(missing)]
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
  const own = responseOf(path === '/' ? '/' : `${path}/`, folderName(folder))
  return `<?xml version="1.0" encoding="UTF-8"?><D:multistatus xmlns:D="DAV:">${own}${responsesIn(path, names)}${MULTISTATUS_END}`
}

const MULTISTATUS_END = '</D:multistatus>'

/**
 * Adds folders to the answer of WebDAV.
 *
 * @param path Below the base path of its user.
 */
export function multistatusWithWay(text: string, path: string, names: readonly string[]): string {
  const end = text.lastIndexOf(MULTISTATUS_END)
  return end === -1 ? text : text.slice(0, end) + responsesIn(path, names) + text.slice(end)
}

function responsesIn(path: string, names: readonly string[]): string {
  const inside = path === '/' ? '/' : `${path}/`
  return names.map((name) => responseOf(`${inside}${name}/`, name)).join('')
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
