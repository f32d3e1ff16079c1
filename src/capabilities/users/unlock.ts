import { insertEvent, logEvent } from '../../core/audit/events.ts'
import type { Deps } from '../../core/deps.ts'
import { Refusal } from '../../core/base/refusals.ts'
import { hashName } from '../../core/crypto/key-ring.ts'
import {
  actAsOperator,
  actAsOperatorAt,
  eventBy,
  isFreshOperator,
  type Operator,
} from '../../core/access/operators.ts'
import type { ActorDeps } from '../../core/access/act-as.ts'
import type { FreshnessDeps } from '../../core/access/freshness.ts'
import { getUser } from './find-users.ts'
import { selectUser } from '../../core/accounts/store.ts'
import { clearAccountCounters, clearPairs } from '../../core/throttle/charges.ts'
import { counter } from '../../core/throttle/counters.ts'
import { clearNetworks, selectStops, type Stop } from '../../core/throttle/stops.ts'

/**
 * Unlocks a user after too many failed sign-ins: deletes the failures of the account from every
 * network, and ends the blocks of the networks from which the user was stopped.
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
    // Stands before the counters of the account, which name the networks.
    networks: clearNetworks(db, by, counter('account', nameHash).key, now),
    pairs: clearPairs(db, by, nameHash),
    counters: clearAccountCounters(db, by, userId, nameHash),
  })
  if (!isFresh) throw new Refusal('confirmationNeeded')
  if (found.length === 0) throw new Refusal('userNotFound')
  logEvent(event)
  return counters.length + pairs.length
}

/** More blocks of one user are not listed. */
const MAX_STOPS = 50

/**
 * Lists what stops a user now: the counters that `unlockUser` clears.
 *
 * @throws {Refusal} `notAdmin`.
 */
export async function listStopsOf(
  deps: ActorDeps,
  operator: Operator,
  userId: number,
): Promise<Stop[]> {
  const { stops } = await actAsOperator(deps, operator, {
    stops: selectStops(deps.db, deps.now(), MAX_STOPS, userId),
  })
  return stops
}
