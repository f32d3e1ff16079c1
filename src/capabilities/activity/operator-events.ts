import type { ReaderDeps } from '../../core/access/act-as.ts'
import type { Operator } from '../../core/access/operators.ts'
import { of, read } from '../../core/access/subject.ts'
import { retentionDays, selectRetention } from '../settings/store.ts'
import type { PageWindow } from '../../core/base/paging.ts'
import {
  countSiteEvents,
  type EventFilter,
  selectAllEvents,
  selectEventsInOrder,
} from '../../core/audit/event-lists.ts'

/**
 * Lists the events of the site for an operator, latest first.
 *
 * @returns The events, whether more exist, and how many days events are kept. A total would need a
 *   read of every row.
 * @throws {Refusal} `notAdmin`.
 */
export async function listSiteEvents(
  deps: ReaderDeps,
  operator: Operator,
  filter: EventFilter,
  { limit, offset }: PageWindow,
) {
  const oneMore = { limit: limit + 1, offset }
  const { events, kept } = await read(deps, of(operator), {
    events: selectAllEvents(deps.db, filter, oneMore),
    kept: selectRetention(deps.db),
  })
  return {
    events: events.slice(0, limit),
    more: events.length > limit,
    keptDays: retentionDays(kept[0]?.value),
  }
}

/** Each page is one round trip, and its rows are in memory at a time. */
const EVENTS_PER_PAGE = 2000

/**
 * Reads the events of the site in the order in which they were written, page by page, so that any
 * number of them can be exported. Events that are written meanwhile are read too.
 *
 * @yields A page of events.
 * @throws {Refusal} `notAdmin`.
 */
export async function* readSiteEvents(deps: ReaderDeps, operator: Operator, filter: EventFilter) {
  let place: EventFilter = filter
  for (;;) {
    const { events } = await read(deps, of(operator), {
      events: selectEventsInOrder(deps.db, place, EVENTS_PER_PAGE),
    })
    if (events.length > 0) yield events
    const last = events.at(-1)
    if (last === undefined || events.length < EVENTS_PER_PAGE) return
    place = { ...filter, afterId: last.id }
  }
}

/** Counts the events of an export, for its progress. @throws {Refusal} `notAdmin`. */
export async function countEventsOfSite(
  deps: ReaderDeps,
  operator: Operator,
  filter: EventFilter,
): Promise<number> {
  const { counted } = await read(deps, of(operator), {
    counted: countSiteEvents(deps.db, filter),
  })
  return counted[0]?.total ?? 0
}
