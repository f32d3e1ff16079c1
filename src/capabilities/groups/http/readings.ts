import * as v from 'valibot'
import type { FileCall, Understood } from '../../../web/kit/file-guard.ts'
import { textOfBytes } from '../openlist-paths.ts'

// Go makes U+FFFD of a lone surrogate, as `toWellFormed` does.
const wellFormed = v.pipe(
  v.string(),
  v.transform((value) => value.toWellFormed()),
)
/** A text as Go reads it: empty where it is null, or left out. */
export const text = v.nullish(wellFormed, '')
const maybeText = v.nullish(wellFormed)
const count = v.nullish(v.number())
const flag = v.nullish(v.boolean())
const membersSchema = v.object({
  path: maybeText,
  password: maybeText,
  page: count,
  per_page: count,
  refresh: flag,
  force_root: flag,
  archive_pass: maybeText,
  inner_path: maybeText,
  method: maybeText,
  data: v.optional(v.unknown()),
})
const bodySchema = v.pipe(v.string(), v.parseJson(), membersSchema)
const MEMBERS = Object.keys(membersSchema.entries)

/** Sends JSON alone: OpenList reads other kinds of bodies, too, and their members from the query. */
export function understoodJson(value: unknown): Understood {
  const headers = { 'Content-Type': 'application/json' }
  return { body: JSON.stringify(value), search: '', headers }
}

/** A request of OpenList's interface that reads a folder, a file or an archive. */
export interface Reading {
  path: string
  /** A path in the archive. */
  innerPath: string
  page: number
  per_page: number
  /** What is sent, so that OpenList can't understand something else. */
  understood: Understood
}

/** The requests that read a folder, a file or an archive. */
const READINGS = /^\/api\/fs\/(?:list|get|dirs|other|archive\/(?:meta|list))$/

/** Tells whether a request reads a folder, a file or an archive. */
export function isReading({ area, path }: FileCall): boolean {
  return area === 'api' && READINGS.test(path)
}

/** Reads a request. @returns `undefined` for another one, and for one of a form that no client has. */
export function readingOf(call: FileCall): Reading | undefined {
  if (!isReading(call)) return undefined
  if (call.method === 'POST') return readBody(call.body())
  return call.method === 'GET' || call.method === 'HEAD' ? readQuery(call.query) : undefined
}

function readBody(body: string): Reading | undefined {
  const parsed = v.safeParse(bodySchema, body)
  if (!parsed.success) return undefined
  const { path, inner_path: innerPath, page, per_page: size } = parsed.output
  return {
    path: path ?? '',
    innerPath: innerPath ?? '',
    page: page ?? 0,
    per_page: size ?? 0,
    understood: understoodJson(parsed.output),
  }
}

/** OpenList takes the first of two values. */
function readQuery(query: URLSearchParams): Reading {
  const sent = new URLSearchParams()
  for (const name of MEMBERS.filter((member) => query.has(member)))
    sent.set(name, query.get(name) ?? '')
  return {
    path: sent.get('path') ?? '',
    innerPath: sent.get('inner_path') ?? '',
    page: Number(sent.get('page')),
    per_page: Number(sent.get('per_page')),
    understood: { search: `?${sent.toString()}` },
  }
}

/** The requests that OpenList answers for shares as well. */
const OF_SHARES = /^\/api\/fs\/(?:list|get|archive\/(?:meta|list))$/
const SHARE_PREFIX = '/@s'
/** A file in a share, or in an archive of one. */
const FILE_IN_SHARE = /^\/sa?d\/([^/]+)/

/** Tells whether OpenList answers a request for shares as well. */
function mayBeOfShare({ area, path }: FileCall): boolean {
  return area === 'api' && OF_SHARES.test(path)
}

/** Finds the share that a request is for. @param reading That of `readingOf`. */
export function shareOf(
  call: FileCall,
  reading: Reading | undefined,
): { id: string; understood: Understood } | undefined {
  const { area, path } = call
  if (area === 'raw') {
    const [, id] = FILE_IN_SHARE.exec(path) ?? []
    return id === undefined ? undefined : { id: textOfBytes(id), understood: {} }
  }
  if (!mayBeOfShare(call) || reading?.path.startsWith(SHARE_PREFIX) !== true) return undefined
  const [id = ''] = reading.path.slice(SHARE_PREFIX.length).replace(/^\//, '').split('/')
  return { id, understood: reading.understood }
}
