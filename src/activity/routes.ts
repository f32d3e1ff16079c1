import { Hono } from 'hono'
import type { App } from '../http/context.ts'
import { COMMAND_LINE } from '../base/network.ts'
import { isoTime, ok } from '../http/envelope.ts'
import { guard, notGuest, sessionOf } from '../http/guard.ts'
import { pageQuery, query } from '../http/input.ts'
import type { selectEvents } from '../audit/events.ts'
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

type Event = Awaited<ReturnType<typeof selectEvents>>[number]

/** An event as every list shows it. */
export function eventRecord(event: Event) {
  return {
    id: event.id,
    time: isoTime(event.at),
    kind: event.kind,
    detail: event.detail,
    network: event.network,
    user_agent: event.userAgent,
    actor: actorOf(event),
    changes: event.changes,
  }
}

/**
 * Who did it: null for the user and for nobody; without an id for the command line, without a name
 * for an admin who was deleted.
 */
function actorOf({
  actorId,
  actorName,
  userId,
  network,
}: Pick<Event, 'actorId' | 'actorName' | 'userId' | 'network'>) {
  if (network === COMMAND_LINE.network) return { id: null, username: null, command_line: true }
  if (actorId === null || actorId === userId) return null
  return { id: actorId, username: actorName, command_line: false }
}
