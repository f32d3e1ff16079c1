import { Hono } from 'hono'
import type { App } from '../http/context.ts'
import { isoTime, ok } from '../http/envelope.ts'
import { guard, notGuest, sessionOf } from '../http/guard.ts'
import { pageQuery, query } from '../http/input.ts'
import type { selectEvents } from './events.ts'
import { listEvents } from './own-events.ts'

/** What happened to a user's own account, under `/api/me/events`. */
export const eventRoutes = new Hono<App>().get(
  '/',
  guard,
  notGuest('guestEvents'),
  query(pageQuery),
  async (c) => {
    const { page, per_page: perPage } = c.req.valid('query')
    const actor = sessionOf(c, 'guestEvents')
    const { events, total } = await listEvents(c.get('deps'), actor, page, perPage)
    return ok(c, { content: events.map(eventRecord), total })
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
