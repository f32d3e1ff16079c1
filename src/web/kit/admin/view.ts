import type { AppContext } from '../../http/context.ts'
import { Refusal } from '../../../core/base/refusals.ts'
import { actAs } from '../../../core/access/act-as.ts'
import { ADMIN } from '../../../core/accounts/roles.ts'
import { actorOf } from '../../http/guard.ts'
import { loadAll } from '../capability.ts'
import { readView, type View } from '../view.ts'

/**
 * Reads the view of an operator's page, with the counts of the navigation, in one round trip.
 *
 * @throws {Refusal} `notAdmin` for every other user.
 */
export async function adminView(c: AppContext): Promise<View> {
  const deps = c.get('deps')
  const now = deps.now()
  const counts = await loadAll(
    c.get('capabilities').flatMap(({ operatorCount: load = [] }) => load),
  )
  const parts = counts.map(({ address, count }) => [address, count(deps.db, now)] as const)
  const { account, ...found } = await actAs(deps, actorOf(c), Object.fromEntries(parts))
  if (account.role !== ADMIN) throw new Refusal('notAdmin')
  const counted = counts.flatMap(({ address, text }) => {
    const total = found[address]?.[0]?.total ?? 0
    return total === 0 ? [] : [[address, text(total)] as const]
  })
  return { ...(await readView(c, account)), counts: new Map(counted) }
}
