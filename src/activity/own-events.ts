import { boundedWindowOf } from '../base/paging.ts'
import { type Actor, readAs, type ReaderDeps } from '../access/act-as.ts'
import { countEvents, selectEvents } from '../audit/events.ts'

/** Maximum number of events per page. A stranger can add many events with failed sign-ins. */
const MAX_EVENTS = 100

/** Reads the actor's account and a page of its events, latest first. */
export async function listOwnEvents(deps: ReaderDeps, actor: Actor, page: number, perPage: number) {
  const window = boundedWindowOf(page, perPage, MAX_EVENTS)
  const { account, events, counted } = await readAs(deps, actor, {
    events: selectEvents(deps.db, actor.userId, window),
    counted: countEvents(deps.db, actor.userId),
  })
  return { account, events, total: counted[0]?.total ?? 0 }
}
