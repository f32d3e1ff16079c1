import { exists } from 'drizzle-orm'
import { insertEvent, logEvent } from '../../core/audit/events.ts'
import { Refusal } from '../../core/base/refusals.ts'
import type { ActorDeps } from '../../core/access/act-as.ts'
import type { FreshnessDeps } from '../../core/access/freshness.ts'
import {
  actAsOperator,
  actAsOperatorAt,
  eventBy,
  isFreshOperator,
  type Operator,
} from '../../core/access/operators.ts'
import {
  deleteReservation,
  selectReservation,
  selectReservedNames,
} from '../../core/accounts/reserved-names.ts'
import { NOBODY } from '../../core/database/user-id.ts'

/** @throws {Refusal} `notAdmin`. */
export async function listReservedNames(deps: ActorDeps, operator: Operator) {
  const { names } = await actAsOperator(deps, operator, { names: selectReservedNames(deps.db) })
  return names
}

/**
 * Lets any account get a name that another account had, with what programs keep for it and perhaps
 * its folder.
 *
 * @throws {Refusal} `notAdmin`, `confirmationNeeded`, `userNotFound` for a name that is not
 *   reserved.
 */
export async function releaseName(
  deps: ActorDeps & FreshnessDeps,
  operator: Operator,
  username: string,
): Promise<void> {
  const { db } = deps
  const now = deps.now()
  const by = isFreshOperator(deps, operator, now)
  const event = eventBy(operator, undefined, 'name_released', now, username)
  const isReserved = exists(selectReservation(db, username, NOBODY))
  const { isFresh, released } = await actAsOperatorAt(deps, operator, now, {
    event: insertEvent(db, by, event, isReserved),
    released: deleteReservation(db, by, username),
  })
  if (!isFresh) throw new Refusal('confirmationNeeded')
  if (released.length === 0) throw new Refusal('userNotFound')
  logEvent(event)
}
