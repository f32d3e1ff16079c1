import type { Actor, ReaderDeps } from '../../core/access/act-as.ts'
import { own, read } from '../../core/access/subject.ts'
import { groupNamesOf, selectGroupNames } from '../../core/accounts/groups.ts'

/**
 * Lists the names of a user's groups, the built-in one first.
 *
 * @throws {Refusal} The refusals of `read`.
 */
export async function listOwnGroups(deps: ReaderDeps, actor: Actor): Promise<string[]> {
  const { account, names } = await read(deps, own(actor), {
    names: selectGroupNames(deps.db, actor.userId),
  })
  return groupNamesOf(account.role, names[0]?.names ?? '[]')
}
