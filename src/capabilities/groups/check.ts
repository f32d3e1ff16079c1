import { sql } from 'drizzle-orm'
import { users } from '../../../schema/tables.ts'
import type { ReaderDeps } from '../../core/access/act-as.ts'
import type { Operator } from '../../core/access/operators.ts'
import { of, read } from '../../core/access/subject.ts'
import { ADMIN } from '../../core/accounts/roles.ts'
import { accessAt, type Decided, isAtOrBelow } from './decision.ts'
import { readFolder } from './fields.ts'
import { readSeenRules, SEEN_RULES } from './seen-rules.ts'

/** What a user may do at a folder, and why. */
export interface Checked {
  access: Decided
  /** The id of the rule that names the user and decides; null when none does. */
  rule: number | null
  /** False when the user's base path hides the folder. */
  reach: boolean
}

/** @throws {Refusal} Those of `readFolder`; `notAdmin`, `userNotFound`. */
export async function checkFolder(
  deps: ReaderDeps,
  operator: Operator,
  userId: number,
  path: string | undefined,
): Promise<Checked> {
  const folder = readFolder(path)
  const { account, seen } = await read(deps, of(operator, userId), {
    seen: deps.db
      .select({ rules: SEEN_RULES })
      .from(users)
      .where(sql`${users.id} = ${userId}`),
  })
  const { role, basePath } = account
  const rules: unknown = JSON.parse(seen[0]?.rules ?? '[]')
  const { access, rule } = accessAt(readSeenRules(role, rules), folder)
  const reach = role === ADMIN || isAtOrBelow(folder, basePath)
  return { access, rule: rule?.id ?? null, reach }
}
