import * as v from 'valibot'
import { cleanFolder } from '../../../core/base/clean-folder.ts'
import { Refusal } from '../../../core/base/refusals.ts'
import { validateJson } from '../../../web/http/input.ts'
import type { FileCall, Understood } from '../../../web/kit/file-guard.ts'
import { accessAt, mayRead, type SeenRules } from '../decision.ts'
import { joinNames } from '../openlist-paths.ts'
import { text, understoodJson } from './readings.ts'

export function isSearch({ area, path }: FileCall): boolean {
  return area === 'api' && path === '/api/fs/search'
}

const count = v.nullish(v.pipe(v.number(), v.integer()), 0)
const searchSchema = v.object({
  parent: text,
  keywords: text,
  scope: count,
  page: count,
  per_page: count,
  password: text,
})
type Search = v.InferOutput<typeof searchSchema>

/** No client asks for as many. */
const MAX_NODES = 10_000

/** A search that leaves out what its user may not know of. */
export interface GuardedSearch {
  understood: Understood
  /** Changes the text of the answer. */
  answer: (text: string) => string
}

/**
 * Searches for a user to whom folders are closed. OpenList looks at the folder above each name that
 * it finds, so it shows the names of closed folders; and their number, if a page were asked for
 * alone. So all pages up to the one that is wanted are asked for, and as many names more as folders
 * are closed.
 *
 * @returns `undefined` where nothing is closed.
 * @throws {Refusal} `invalidBody`; `requestInvalid` for too many names, and for a search by GET.
 */
export function guardedSearchOf(
  { method, body }: FileCall,
  seen: SeenRules,
): GuardedSearch | undefined {
  const closed = Array.from(seen.at.keys()).filter((path) => !mayRead(accessAt(seen, path).access))
  if (closed.length === 0) return undefined
  if (method !== 'POST') throw new Refusal('requestInvalid')
  const search = validateJson(searchSchema, body())
  const { page, per_page: size } = search
  // OpenList refuses it.
  if (page < 1 || size < 1) return { understood: understoodJson(search), answer: (sent) => sent }
  const last = page * size
  if (last > MAX_NODES) throw new Refusal('requestInvalid')
  const asked = { ...search, page: 1, per_page: last + 1 + closed.length }
  return { understood: understoodJson(asked), answer: (sent) => pageOf(search, seen, sent) }
}

const foundSchema = v.pipe(
  v.string(),
  v.parseJson(),
  v.looseObject({
    data: v.looseObject({
      content: v.nullable(v.array(v.looseObject({ parent: v.string(), name: v.string() }))),
      total: v.number(),
    }),
  }),
)

/**
 * Returns a page of what was found.
 *
 * @returns The same text for one that tells of nothing that was found. `total` has one name more
 *   than the pages so far, if there is one.
 */
function pageOf({ page, per_page: size }: Search, seen: SeenRules, sent: string): string {
  const found = v.safeParse(foundSchema, sent)
  if (!found.success) return sent
  const { data } = found.output
  const shown = data.content?.filter(({ parent, name }) =>
    mayRead(accessAt(seen, cleanFolder(joinNames(parent, name))).access),
  )
  const content = shown?.slice((page - 1) * size, page * size) ?? []
  const total = Math.min(shown?.length ?? 0, page * size + 1)
  return JSON.stringify({ ...found.output, data: { ...data, content, total } })
}
