import * as v from 'valibot'
import type { FileServer } from '../../core/base/file-server.ts'
import { Refusal } from '../../core/base/refusals.ts'
import { callOrigin, type OriginDeps } from './origin.ts'

/** The host and scheme of the request that asks (RFC 2606 section 2): no site has this name. */
const ASKED = { host: 'this-site.invalid', scheme: 'https' }
/** Storages may be slow, and a cloud may count what is asked. */
const MAX_LISTS = 20
const MAX_FILES = 10
const MAX_ENTRIES = 50

const listSchema = v.object({
  content: v.nullable(v.array(v.object({ name: v.string(), is_dir: v.boolean() }))),
})
const fileSchema = v.object({ raw_url: v.string() })

/**
 * Finds with what address OpenList begins its links to files: `site_url` stands in its
 * `config.json`, and no answer tells it, so a link of a file is looked at.
 *
 * @returns Empty when it takes the address of the request, as it should; `undefined` when there is
 *   no file whose link it makes itself. Storages may link to an address of their own.
 */
export async function findLinkAddress(
  deps: OriginDeps,
  files: FileServer,
): Promise<string | undefined> {
  const asked: FileServer = {
    ...files,
    headers: [
      ...files.headers,
      ['X-Forwarded-Host', ASKED.host],
      ['X-Forwarded-Proto', ASKED.scheme],
    ],
  }
  const call = async (path: string, body: object) => {
    try {
      return (await callOrigin(deps, asked, path, { token: files.token, body })).data
    } catch (error) {
      // One storage that is away says nothing of the others.
      if (error instanceof Refusal) return undefined
      throw error
    }
  }
  const folders = ['']
  let looked = 0
  for (let listed = 0; listed < MAX_LISTS && listed < folders.length; listed++) {
    const folder = folders[listed] ?? ''
    const page = { path: folder || '/', page: 1, per_page: MAX_ENTRIES }
    const list = await call('/api/fs/list', page)
    for (const { name, is_dir } of (v.is(listSchema, list) && list.content) || []) {
      const path = `${folder}/${name}`
      if (is_dir) folders.push(path)
      else if (looked++ < MAX_FILES) {
        const file = await call('/api/fs/get', { path })
        const address = v.is(fileSchema, file) ? addressOf(file.raw_url, path) : undefined
        if (address !== undefined) return address
      }
    }
  }
  return undefined
}

/** @returns What stands before `/p/…`; `undefined` for a link that a storage has made. */
function addressOf(link: string, path: string): string | undefined {
  if (!URL.canParse(link)) return undefined
  const { origin, pathname } = new URL(link)
  const end = `/p${path.split('/').map(encodeURIComponent).join('/')}`
  const shown = pathname.split('/').map(decoded).map(encodeURIComponent).join('/')
  if (!shown.endsWith(end)) return undefined
  const address = origin + shown.slice(0, -end.length)
  const own = `${ASKED.scheme}://${ASKED.host}`
  return address.startsWith(own) ? address.slice(own.length) : address
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}
