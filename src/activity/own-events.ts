import { boundedWindowOf } from '../base/paging.ts'
import { type Actor, readAs, type ReaderDeps } from '../access/act-as.ts'
import { countEvents, selectEvents } from '../audit/events.ts'

/** A page; strangers can make many, by failing to sign in. */
const MAX_EVENTS = 100

/** The actor's account and what happened to it, latest first, a page of it. */
export async function listEvents(deps: ReaderDeps, actor: Actor, page: number, perPage: number) {
  const [account, events, [counted]] = await readAs(
    deps,
    actor,
    selectEvents(deps.db, actor.userId, boundedWindowOf(page, perPage, MAX_EVENTS)),
    countEvents(deps.db, actor.userId),
  )
  return { account, events, total: counted?.total ?? 0 }
}
