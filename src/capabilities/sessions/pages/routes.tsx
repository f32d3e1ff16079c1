import { Hono } from 'hono'
import * as v from 'valibot'
import { Refusal } from '../../../core/base/refusals.ts'
import { text } from '../../../core/base/text.ts'
import type { App, AppContext } from '../../../web/http/context.ts'
import { actorOf, sessionOf } from '../../../web/http/guard.ts'
import { validate } from '../../../web/http/input.ts'
import { attempt, readForm } from '../../../web/kit/form.ts'
import { showForm } from '../../../web/kit/frames.tsx'
import { backTo, goTo, readView } from '../../../web/kit/view.ts'
import { clearSessionToken } from '../../sign-in/pages/session-cookie.ts'
import { endEverything, endOtherSessions, endSession, listSessions } from '../own-sessions.ts'
import { SessionsPage } from './sessions.tsx'

const PATH = '/account/sessions'

const sessionSchema = v.object({ id: text() })

/** The pages of a user's sessions, under `/account/sessions`. */
export const sessionPages = new Hono<App>()
  .get('/', (c) => showSessions(c))
  .post('/end', async (c) => {
    const fields = await readForm(c)
    const refusal = await attempt(async () =>
      endSession(c.get('deps'), actorOf(c), validate(sessionSchema, fields).id),
    )
    if (refusal instanceof Refusal) return showSessions(c, refusal)
    return goTo(c, PATH, 'session-ended')
  })
  .post('/end-others', async (c) => {
    await endOtherSessions(c.get('deps'), actorOf(c))
    return goTo(c, PATH, 'sessions-ended')
  })
  .post('/end-everything', async (c) => {
    await endEverything(c.get('deps'), sessionOf(c))
    clearSessionToken(c)
    return goTo(c, '/account/sign-in', 'everything-ended')
  })
  .get('/:form', backTo(PATH))

async function showSessions(c: AppContext, refusal?: Refusal) {
  const actor = sessionOf(c)
  const { account, sessions } = await listSessions(c.get('deps'), actor)
  const view = await readView(c, account)
  const props = { view, sessions, currentId: actor.sessionId }
  return showForm(c, SessionsPage, props, refusal)
}
