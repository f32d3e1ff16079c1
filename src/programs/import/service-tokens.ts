import * as v from 'valibot'
import { text } from '../../core/base/text.ts'
import { SCOPE_NAMES } from '../../core/access/service-tokens.ts'
import { numberColumn } from './columns.ts'
import type { RawRow } from './source.ts'

/** A service token of another Latchkey site. */
export type OldServiceToken = v.InferOutput<typeof tokenRow>

const tokenRow = v.pipe(
  v.object({
    name: text(),
    token_hash: v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/)),
    scope: v.pipe(
      v.string(),
      v.check((scope) =>
        scope.split(' ').every((name) => SCOPE_NAMES.some((known) => known === name)),
      ),
    ),
    created_at: numberColumn,
  }),
  v.transform(({ name, token_hash: tokenHash, scope, created_at: createdAt }) => ({
    name,
    tokenHash,
    scope,
    createdAt,
  })),
)

/** @returns `undefined` for a row that is no service token with known scopes. */
export function readServiceToken(row: RawRow): OldServiceToken | undefined {
  const token = v.safeParse(tokenRow, row)
  return token.success ? token.output : undefined
}
