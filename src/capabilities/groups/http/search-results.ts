import * as v from 'valibot'
import type { FileCall } from '../../../web/kit/file-guard.ts'
import { cleanFolder } from '../../../core/base/clean-folder.ts'
import { isOtherSpelling, type SeenRules } from '../decision.ts'
import { joinNames } from '../openlist-paths.ts'

export function isSearch({ area, path }: FileCall): boolean {
  return area === 'api' && path === '/api/fs/search'
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
 * Leaves out what OpenList has found at other spellings of folders that are closed.
 *
 * @returns The same text for one that tells of nothing that was found.
 */
export function withoutOtherSpellings(seen: SeenRules, text: string): string {
  const found = v.safeParse(foundSchema, text)
  if (!found.success) return text
  const { data } = found.output
  const content = data.content?.filter(
    ({ parent, name }) => !isOtherSpelling(seen, cleanFolder(joinNames(parent, name))),
  )
  const left = (data.content?.length ?? 0) - (content?.length ?? 0)
  if (left === 0) return text
  return JSON.stringify({ ...found.output, data: { ...data, content, total: data.total - left } })
}
