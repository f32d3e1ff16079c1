import type { AppContext } from '../../http/context.ts'
import { Refusal } from '../../../core/base/refusals.ts'
import { actAs } from '../../../core/access/act-as.ts'
import { ADMIN } from '../../../core/accounts/roles.ts'
import { actorOf } from '../../http/guard.ts'
import { readView, type View } from '../view.ts'

/** Reads the view of an operator's page. @throws {Refusal} `notAdmin` for every other user. */
export async function adminView(c: AppContext): Promise<View> {
  const { account } = await actAs(c.get('deps'), actorOf(c), {})
  if (account.role !== ADMIN) throw new Refusal('notAdmin')
  return readView(c, account)
}
