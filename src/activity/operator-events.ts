import { actAsOperator, type Operator } from '../access/operators.ts'
import type { ActorDeps } from '../access/act-as.ts'
import type { PageWindow } from '../base/paging.ts'
import { type EventFilter, selectAllEvents } from '../audit/events.ts'

/**
 * What happened on the site, for an operator; the latest first.
 *
 * @returns Whether there is more as well: to count all of them would take a look at every row.
 * @throws {Refusal} `notAdmin`.
 */
export async function listEvents(
  deps: ActorDeps,
  operator: Operator,
  filter: EventFilter,
  { limit, offset }: PageWindow,
) {
  const oneMore = { limit: limit + 1, offset }
  const [events] = await actAsOperator(deps, operator, selectAllEvents(deps.db, filter, oneMore))
  return { events: events.slice(0, limit), more: events.length > limit }
}
