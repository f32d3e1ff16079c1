import { Hono } from 'hono'
import type { App } from '../http/context.ts'
import { COMMAND_LINE } from '../base/network.ts'
import { isoTime, ok } from '../http/envelope.ts'
import { guard, notGuest, sessionOf } from '../http/guard.ts'
import { pageQuery, query } from '../http/input.ts'
import type { selectEvents } from '../audit/events.ts'
import { listEvents } from './own-events.ts'

/** The events of a user's own account, under `/api/me/events`. */
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
 * Names the actor of an event: null when the user did it or nobody is known. The command line has
 * no id, and an admin who was deleted has no name.
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
