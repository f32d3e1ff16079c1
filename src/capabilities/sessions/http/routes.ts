import { Hono } from 'hono'
import type { App } from '../../../web/http/context.ts'
import * as v from 'valibot'
import { ok } from '../../../web/http/envelope.ts'
import { actorOf, sessionOf, signedIn } from '../../../web/http/guard.ts'
import { query } from '../../../web/http/input.ts'
import { isSessionActor } from '../../../core/access/actor.ts'
import { text } from '../../../core/base/text.ts'
import { own } from '../../../core/access/subject.ts'
import { endEverything, endOtherSessions, endSession, listSessions } from '../manage.ts'
import { sessionRecord } from '../record.ts'

const sessionQuery = v.object({ id: text() })

/** Routes for the user's own sessions, under `/api/me/sessions`. */
export const sessionRoutes = new Hono<App>()
  .get('/', signedIn('guestSessions', 'account:read'), async (c) => {
    const actor = actorOf(c)
    const { sessions } = await listSessions(c.get('deps'), own(actor))
    return ok(c, {
      content: sessions.map((session) => ({
        ...sessionRecord(session),
        current: isSessionActor(actor) && session.id === actor.sessionId,
      })),
      total: sessions.length,
    })
  })
  .post('/delete', signedIn('guestSessions', 'account:write'), query(sessionQuery), async (c) => {
    await endSession(c.get('deps'), own(actorOf(c)), c.req.valid('query').id)
    return ok(c, null)
  })
  .post('/delete_others', signedIn('guestSessions', 'account:write'), async (c) => {
    await endOtherSessions(c.get('deps'), actorOf(c))
    return ok(c, null)
  })
  .post('/delete_all', signedIn('guestSessions', 'session'), async (c) => {
    await endEverything(c.get('deps'), own(sessionOf(c)))
    return ok(c, null)
  })
