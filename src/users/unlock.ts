import { insertEvent, logEvent } from '../audit/events.ts'
import type { Deps } from '../deps.ts'
import { Refusal } from '../base/refusals.ts'
import { hashName } from '../crypto/key-ring.ts'
import { actAsOperatorAt, eventBy, isFreshOperator, type Operator } from '../access/operators.ts'
import type { ActorDeps } from '../access/act-as.ts'
import type { FreshnessDeps } from '../access/freshness.ts'
import { getUser } from './find-users.ts'
import { selectUser } from '../accounts/store.ts'
import { clearAccountCounters, clearPairs } from '../throttle/charges.ts'

/**
 * Unlocks a user after too many failed sign-ins: deletes the failures of the account from every
 * network. A network with failures at many accounts stays blocked.
 *
 * It needs a fresh session, because the failures may come from a thief who guesses the operator's
 * own password or code with a stolen token.
 *
 * @returns The number of deleted counters.
 * @throws {Refusal} `notAdmin`, `confirmationNeeded`, `userNotFound`.
 */
export async function unlockUser(
  deps: ActorDeps & FreshnessDeps & Pick<Deps, 'keyRing'>,
  operator: Operator,
  userId: number,
): Promise<number> {
  const { db } = deps
  const { username } = await getUser(deps, operator, userId)
  const nameHash = await hashName(await deps.keyRing(), username)
  const now = deps.now()
  const by = isFreshOperator(deps, operator, now)
  const event = eventBy(operator, userId, 'user_unlocked', now)
  const { isFresh, found, counters, pairs } = await actAsOperatorAt(deps, operator, now, {
    found: selectUser(db, userId),
    event: insertEvent(db, by, event),
    counters: clearAccountCounters(db, by, userId, nameHash),
    pairs: clearPairs(db, by, nameHash),
  })
  if (!isFresh) throw new Refusal('confirmationNeeded')
  if (found.length === 0) throw new Refusal('userNotFound')
  logEvent(event)
  return counters.length + pairs.length
}
