import { Hono } from 'hono'
import type { App } from '../http/context.ts'
import * as v from 'valibot'
import { isoTime, ok } from '../http/envelope.ts'
import { guard, notGuest, sessionOf } from '../http/guard.ts'
import { query } from '../http/input.ts'
import { text } from '../base/text.ts'
import { endOtherSessions, endSession, listSessions } from './own-sessions.ts'

const sessionQuery = v.object({ id: text() })

/** Where a user is signed in, under `/api/me/sessions`. */
export const sessionRoutes = new Hono<App>()
  .get('/', guard, async (c) => {
    const actor = sessionOf(c, 'guestSessions')
    const { sessions } = await listSessions(c.get('deps'), actor)
    return ok(c, {
      content: sessions.map((session) => ({
        ...sessionRecord(session),
        current: session.id === actor.sessionId,
      })),
      total: sessions.length,
    })
  })
  .post('/delete', guard, notGuest('guestSessions'), query(sessionQuery), async (c) => {
    await endSession(c.get('deps'), sessionOf(c, 'guestSessions'), c.req.valid('query').id)
    return ok(c, null)
  })
  .post('/delete_others', guard, async (c) => {
    await endOtherSessions(c.get('deps'), sessionOf(c, 'guestSessions'))
    return ok(c, null)
  })

/** A session as every list shows it. */
export function sessionRecord(
  session: Awaited<ReturnType<typeof listSessions>>['sessions'][number],
) {
  return {
    id: session.id,
    created_time: isoTime(session.createdAt),
    expires_time: isoTime(session.expiresAt),
    network: session.network,
    user_agent: session.userAgent,
  }
}
