import type { AppContext } from '../../http/context.ts'
import { Refusal } from '../../../core/base/refusals.ts'
import { actAs } from '../../../core/access/act-as.ts'
import { ADMIN } from '../../../core/accounts/roles.ts'
import type { Answers, Parts } from '../../../core/database/statements.ts'
import { actorOf } from '../../http/guard.ts'
import { loadAll } from '../capability.ts'
import { readView, type View } from '../view.ts'

/**
 * Reads the view of an operator's page, with the counts of the navigation, in one round trip.
 *
 * @throws {Refusal} `notAdmin` for every other user.
 */
export async function adminView(c: AppContext): Promise<View> {
  const { view } = await adminViewWith(c, {})
  return view
}

/** Works like `adminView`, and reads further parts in the same round trip. */
export async function adminViewWith<Named extends Parts>(
  c: AppContext,
  parts: Named,
): Promise<Answers<Named> & { view: View }>
export async function adminViewWith(
  c: AppContext,
  parts: Parts,
): Promise<Record<string, unknown> & { view: View }> {
  const deps = c.get('deps')
  const now = deps.now()
  const counts = await loadAll(
    c.get('capabilities').flatMap(({ operatorCount: load = [] }) => load),
  )
  const counting = counts.map(({ address, count }) => [address, count(deps.db, now)] as const)
  const counters = Object.fromEntries(counting)
  const { account, ...found } = await actAs(deps, actorOf(c), { ...counters, ...parts })
  if (account.role !== ADMIN) throw new Refusal('notAdmin')
  const counted = counts.flatMap(({ address, text }) => {
    const total = found[address]?.[0]?.total ?? 0
    return total === 0 ? [] : [[address, text(total)] as const]
  })
  const view = { ...(await readView(c, account)), counts: new Map(counted) }
  return { ...found, view }
}
