import { type SQL, sql } from 'drizzle-orm'
import * as v from 'valibot'
import { folderRules, groupMembers, users } from '../../../schema/tables.ts'
import { ADMIN, GENERAL, GUEST } from '../../core/accounts/roles.ts'
import { literal } from '../../core/database/literal.ts'
import { ACCESS, type SeenRules, seenRules } from './decision.ts'

/**
 * All rules as the account of a row of `users` sees them: a column of that row, so it takes no
 * round trip. JSON: an array of `[id, path, access, rank]`.
 */
// Nested, because Drizzle takes the names of tables off the columns of the outer level.
export const SEEN_RULES = seenRulesWhere(sql`true`)

/**
 * The rules at, above and below a folder, in the same form.
 *
 * @param path Below the base path of the account, clean.
 */
export function seenRulesNear(path: string) {
  const folder = sql`case when ${users.basePath} = '/' then ${path}
    when ${path} = '/' then ${users.basePath} else ${users.basePath} || ${path} end`
  const { path: ruled } = folderRules
  return seenRulesWhere(sql`(${ruled} = '/' or (${folder}) = '/'
    or substr((${folder}) || '/', 1, length(${ruled}) + 1) = ${ruled} || '/'
    or substr(${ruled}, 1, length(${folder}) + 1) = (${folder}) || '/')`)
}

function seenRulesWhere(where: SQL) {
  return sql<string>`(${sql`select json_group_array(json_array(
  ${folderRules.id}, ${folderRules.path}, ${folderRules.access}, case
    when ${folderRules.userId} = ${users.id} then 3
    when exists (select 1 from ${groupMembers}
      where ${groupMembers.groupId} = ${folderRules.groupId} and ${groupMembers.userId} = ${users.id}) then 2
    when ${folderRules.builtIn} = 'user' and ${users.role} = ${literal(GENERAL)} then 1
    when ${folderRules.builtIn} = 'guest' and ${users.role} = ${literal(GUEST)} then 1
    else 0 end
)) from ${folderRules} where ${where}`})`.as('seen_rules')
}

const seenSchema = v.array(
  v.tuple([v.number(), v.string(), v.picklist(ACCESS), v.picklist([0, 1, 2, 3])]),
)

/**
 * Reads the array of `SEEN_RULES`.
 *
 * @param role That of the account.
 */
export function readSeenRules(role: number, seen: unknown): SeenRules {
  const rules = v.parse(seenSchema, seen)
  return seenRules(
    role === ADMIN,
    rules.map(([id, path, access, rank]) => ({ id, path, access, rank })),
  )
}
