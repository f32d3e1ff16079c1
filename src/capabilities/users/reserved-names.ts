import { exists } from 'drizzle-orm'
import type { ReaderDeps } from '../../core/access/act-as.ts'
import type { Operator } from '../../core/access/operators.ts'
import { change, type ChangeDeps, of, read } from '../../core/access/subject.ts'
import { insertEvent } from '../../core/audit/events.ts'
import { Refusal } from '../../core/base/refusals.ts'
import {
  deleteReservation,
  selectReservation,
  selectReservedNames,
} from '../../core/accounts/reserved-names.ts'
import { NOBODY } from '../../core/database/user-id.ts'

/** @throws {Refusal} `notAdmin`. */
export async function listReservedNames(deps: ReaderDeps, operator: Operator) {
  const { names } = await read(deps, of(operator), { names: selectReservedNames(deps.db) })
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
  deps: ChangeDeps,
  operator: Operator,
  username: string,
): Promise<void> {
  const { db } = deps
  const isReserved = exists(selectReservation(db, username, NOBODY))
  const { released } = await change(
    deps,
    of(operator),
    { kind: 'name_released', detail: username, fresh: true },
    ({ by, event }) => ({
      event: insertEvent(db, by, event, isReserved),
      released: deleteReservation(db, by, username),
    }),
  )
  if (released.length === 0) throw new Refusal('userNotFound')
}
