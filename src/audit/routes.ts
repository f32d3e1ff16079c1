import { Hono } from 'hono'
import type { App } from '../http/context.ts'
import { isoTime, ok } from '../http/envelope.ts'
import { guard, notGuest, sessionOf } from '../http/guard.ts'
import { pageQuery, query } from '../http/input.ts'
import { boundedWindowOf } from '../paging.ts'
import { actAs } from '../tokens/sessions.ts'
import { countEvents, selectEvents } from './events.ts'

/** A page; strangers can make many, by failing to sign in. */
const MAX_EVENTS = 100

/** What happened to a user's own account, under `/api/me/events`. */
export const eventRoutes = new Hono<App>().get(
  '/',
  guard,
  notGuest('guestEvents'),
  query(pageQuery),
  async (c) => {
    const { deps } = c.var
    const { page, per_page: perPage } = c.req.valid('query')
    const actor = sessionOf(c, 'guestEvents')
    const [, events, [counted]] = await actAs(
      deps,
      actor,
      selectEvents(deps.db, actor.userId, boundedWindowOf(page, perPage, MAX_EVENTS)),
      countEvents(deps.db, actor.userId),
    )
    return ok(c, {
      content: events.map(eventRecord),
      total: counted?.total ?? 0,
    })
  },
)

/** An event as every list shows it. */
export function eventRecord(event: Awaited<ReturnType<typeof selectEvents>>[number]) {
  return {
    id: event.id,
    time: isoTime(event.at),
    kind: event.kind,
    detail: event.detail,
    network: event.network,
    user_agent: event.userAgent,
  }
}
