import { boundedWindowOf } from '../base/paging.ts'
import { type Actor, readAs, type ReaderDeps } from '../access/act-as.ts'
import { countEvents, type EventFilter, ownEvent, selectEvents } from '../audit/events.ts'

/** Maximum number of events per page. A stranger can add many events with failed sign-ins. */
const MAX_EVENTS = 100

export type OwnEventFilter = Omit<EventFilter, 'userId'>

/** Reads the actor's account and a page of its events, latest first. */
export async function listOwnEvents(
  deps: ReaderDeps,
  actor: Actor,
  page: number,
  perPage: number,
  filter: OwnEventFilter = {},
) {
  const window = boundedWindowOf(page, perPage, MAX_EVENTS)
  const { account, events, counted } = await readAs(deps, actor, {
    events: selectEvents(deps.db, actor.userId, window, filter),
    counted: countEvents(deps.db, actor.userId, filter),
  })
  return { account, events: events.map(ownEvent), total: counted[0]?.total ?? 0 }
}

/** Reads the latest events of the actor's account, for a file. */
export async function listLatestOwnEvents(
  deps: ReaderDeps,
  actor: Actor,
  filter: OwnEventFilter,
  limit: number,
) {
  const window = { limit, offset: 0 }
  const { events } = await readAs(deps, actor, {
    events: selectEvents(deps.db, actor.userId, window, filter),
  })
  return events.map(ownEvent)
}
