import { boundedWindowOf } from '../../core/base/paging.ts'
import { shownEventId } from '../../core/crypto/key-ring.ts'
import type { Deps } from '../../core/deps.ts'
import type { Actor, ReaderDeps } from '../../core/access/act-as.ts'
import { own, read } from '../../core/access/subject.ts'
import { retentionDays, selectRetention } from '../settings/store.ts'
import {
  countEvents,
  type EventFilter,
  ownEvent,
  selectEvents,
} from '../../core/audit/event-lists.ts'

/** Maximum number of events per page. A stranger can add many events with failed sign-ins. */
const MAX_EVENTS = 100

type OwnEventsDeps = ReaderDeps & Pick<Deps, 'keyRing'>

type OwnEventFilter = Omit<EventFilter, 'userId' | 'isByUser'>

/** With a network, only what users did themselves: they don't learn where an operator was. */
function ownFilter(filter: OwnEventFilter): Omit<EventFilter, 'userId'> {
  return filter.network === undefined ? filter : { ...filter, isByUser: true }
}

/** Reads the actor's account, a page of its events, latest first, and how many days events are kept. */
export async function listOwnEvents(
  deps: OwnEventsDeps,
  actor: Actor,
  page: number,
  perPage: number,
  filter: OwnEventFilter = {},
) {
  const window = boundedWindowOf(page, perPage, MAX_EVENTS)
  const { account, events, counted, kept } = await read(deps, own(actor), {
    events: selectEvents(deps.db, actor.userId, window, ownFilter(filter)),
    counted: countEvents(deps.db, actor.userId, ownFilter(filter)),
    kept: selectRetention(deps.db),
  })
  const ring = await deps.keyRing()
  const shown = events.map(async (event) => ({
    ...ownEvent(event),
    id: await shownEventId(ring, event.id),
  }))
  return {
    account,
    events: await Promise.all(shown),
    total: counted[0]?.total ?? 0,
    keptDays: retentionDays(kept[0]?.value),
  }
}

/** Reads the latest events of the actor's account, for a file. */
export async function listLatestOwnEvents(
  deps: ReaderDeps,
  actor: Actor,
  filter: OwnEventFilter,
  limit: number,
) {
  const window = { limit, offset: 0 }
  const { events } = await read(deps, own(actor), {
    events: selectEvents(deps.db, actor.userId, window, ownFilter(filter)),
  })
  return events.map(ownEvent)
}
