import type { ReaderDeps } from '../../core/access/act-as.ts'
import type { Operator } from '../../core/access/operators.ts'
import { change, type ChangeDeps, of, read } from '../../core/access/subject.ts'
import { insertEvent } from '../../core/audit/events.ts'
import { hashName } from '../../core/crypto/key-ring.ts'
import type { Deps } from '../../core/deps.ts'
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
  deps: ChangeDeps & ReaderDeps & Pick<Deps, 'keyRing'>,
  operator: Operator,
  userId: number,
): Promise<number> {
  const { db } = deps
  const subject = of(operator, userId)
  const { account } = await read(deps, subject, {})
  const nameHash = await hashName(await deps.keyRing(), account.username)
  const { counters, pairs } = await change(
    deps,
    subject,
    { kind: 'user_unlocked', fresh: true },
    ({ now, by, event }) => ({
      event: insertEvent(db, by, event),
      // Stands before the counters of the account, which name the networks.
      networks: clearNetworks(db, by, counter('account', nameHash).key, now),
      pairs: clearPairs(db, by, nameHash),
      counters: clearAccountCounters(db, by, userId, nameHash),
    }),
  )
  return counters.length + pairs.length
}

/** More blocks of one user are not listed. */
const MAX_STOPS = 50

/**
 * Lists what stops a user now: the counters that `unlockUser` clears.
 *
 * @throws {Refusal} `notAdmin`.
 */
export async function listStops(
  deps: ReaderDeps,
  operator: Operator,
  userId: number,
): Promise<Stop[]> {
  const { stops } = await read(deps, of(operator), {
    stops: selectStops(deps.db, deps.now(), MAX_STOPS, userId),
  })
  return stops
}
