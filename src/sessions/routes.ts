import { Hono } from 'hono'
import type { App } from '../http/context.ts'
import * as v from 'valibot'
import { ok } from '../http/envelope.ts'
import { actorOf, signedIn } from '../http/guard.ts'
import { query } from '../http/input.ts'
import { text } from '../base/text.ts'
import { endOtherSessions, endSession, listSessions } from './own-sessions.ts'
import { sessionRecord } from './record.ts'

const sessionQuery = v.object({ id: text() })

/** Routes for the user's own sessions, under `/api/me/sessions`. */
export const sessionRoutes = new Hono<App>()
  .get('/', signedIn('guestSessions'), async (c) => {
    const actor = actorOf(c)
    const { sessions } = await listSessions(c.get('deps'), actor)
    return ok(c, {
      content: sessions.map((session) => ({
        ...sessionRecord(session),
        current: session.id === actor.sessionId,
      })),
      total: sessions.length,
    })
  })
  .post('/delete', signedIn('guestSessions'), query(sessionQuery), async (c) => {
    await endSession(c.get('deps'), actorOf(c), c.req.valid('query').id)
    return ok(c, null)
  })
  .post('/delete_others', signedIn('guestSessions'), async (c) => {
    await endOtherSessions(c.get('deps'), actorOf(c))
    return ok(c, null)
  })
