import { Hono } from 'hono'
import type { App } from '../../../web/http/context.ts'
import { ok } from '../../../web/http/envelope.ts'
import { actorOf, signedIn } from '../../../web/http/guard.ts'
import { pageQuery, query } from '../../../web/http/input.ts'
import { listOwnEvents } from '../own-events.ts'
import { eventRecord } from '../record.ts'

/** Routes for the events of the user's own account, under `/api/me/events`. */
export const eventRoutes = new Hono<App>().get(
  '/',
  signedIn('guestEvents', 'account:read'),
  query(pageQuery),
  async (c) => {
    const { page, per_page: perPage } = c.req.valid('query')
    const actor = actorOf(c)
    const { events, total } = await listOwnEvents(c.get('deps'), actor, page, perPage)
    return ok(c, { content: events.map(eventRecord), total })
  },
)
