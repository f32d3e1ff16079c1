import { actAsOperator, type Operator } from '../access/operators.ts'
import type { ActorDeps } from '../access/act-as.ts'
import type { PageWindow } from '../base/paging.ts'
import { type EventFilter, selectAllEvents } from '../audit/events.ts'

/**
 * Lists the events of the site for an operator, latest first.
 *
 * @returns The events, and whether more exist. A total would need a read of every row.
 * @throws {Refusal} `notAdmin`.
 */
export async function listSiteEvents(
  deps: ActorDeps,
  operator: Operator,
  filter: EventFilter,
  { limit, offset }: PageWindow,
) {
  const oneMore = { limit: limit + 1, offset }
  const { events } = await actAsOperator(deps, operator, {
    events: selectAllEvents(deps.db, filter, oneMore),
  })
  return { events: events.slice(0, limit), more: events.length > limit }
}
