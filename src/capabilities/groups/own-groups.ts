import { users } from '../../../schema/tables.ts'
import { sql } from 'drizzle-orm'
import type { Actor, ReaderDeps } from '../../core/access/act-as.ts'
import { own, read } from '../../core/access/subject.ts'
import { GROUP_NAMES, groupNamesOf } from '../../core/accounts/groups.ts'

/**
 * Lists the names of a user's groups, the built-in one first.
 *
 * @throws {Refusal} The refusals of `read`.
 */
export async function listOwnGroups(deps: ReaderDeps, actor: Actor): Promise<string[]> {
  const { account, names } = await read(deps, own(actor), {
    names: deps.db
      .select({ names: GROUP_NAMES })
      .from(users)
      .where(sql`${users.id} = ${actor.userId}`),
  })
  return groupNamesOf(account.role, names[0]?.names ?? '[]')
}
