import { insertEvent, logEvent } from '../audit/events.ts'
import type { Deps } from '../deps.ts'
import { Refusal } from '../base/refusals.ts'
import { hashName } from '../crypto/key-ring.ts'
import { actAsOperator, eventBy, isOperator, type Operator } from '../access/operators.ts'
import type { ActorDeps } from '../access/act-as.ts'
import { getUser } from './manage-users.ts'
import { selectUser } from '../accounts/store.ts'
import { clearAccountCounters, clearPairs } from '../throttle/throttle.ts'

/**
 * Lets a user try again at once who has failed too often: forgets the failures of the account,
 * wherever they came from. A network that failed at many accounts stays blocked.
 *
 * @returns How many counters there were.
 * @throws {Refusal} `notAdmin`, `userNotFound`.
 */
export async function unlockUser(
  deps: ActorDeps & Pick<Deps, 'keyRing'>,
  operator: Operator,
  userId: number,
): Promise<number> {
  const { username } = await getUser(deps, operator, userId)
  const nameHash = await hashName(await deps.keyRing(), username)
  const now = deps.now()
  const event = eventBy(operator, userId, 'user_unlocked', now)
  const isAllowed = isOperator(deps.db, operator, now)
  const [[user], cleared, clearedPairs] = await actAsOperator(
    deps,
    operator,
    selectUser(deps.db, userId),
    clearAccountCounters(deps.db, userId, nameHash, isAllowed),
    clearPairs(deps.db, nameHash, isAllowed),
    insertEvent(deps.db, event, isAllowed),
  )
  if (user === undefined) throw new Refusal('userNotFound')
  logEvent(event)
  return cleared.length + clearedPairs.length
}
