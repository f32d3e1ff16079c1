import * as v from 'valibot'
import { own } from '../../../core/access/subject.ts'
import { text } from '../../../core/base/text.ts'
import type { AppContext } from '../../../web/http/context.ts'
import { actorOf, sessionOf } from '../../../web/http/guard.ts'
import { action, formsOf } from '../../../web/kit/action.ts'
import { CHECK_PATH, endChecking } from '../../../web/kit/checking.ts'
import type { Refused } from '../../../web/kit/form.ts'
import { showForm } from '../../../web/kit/frames.tsx'
import { goTo, readView } from '../../../web/kit/view.ts'
import { clearSessionToken } from '../../sign-in/pages/session-cookie.ts'
import {
  confirmNetwork,
  endEverything,
  endOtherSessions,
  endSession,
  listOwnSessions,
} from '../manage.ts'
import { SessionsPage } from './sessions.tsx'

const PATH = '/account/sessions'

/** The pages of a user's sessions, under `/account/sessions`. */
export const sessionPages = formsOf(PATH, showSessions, {
  end: action({
    reads: v.object({ id: text() }),
    run: (c, { id }) => endSession(c.get('deps'), own(actorOf(c)), id),
    done: (c, _, { from }) => goTo(c, from === 'check' ? CHECK_PATH : PATH, 'session-ended'),
  }),
  'end-others': action({
    run: (c) => endOtherSessions(c.get('deps'), actorOf(c)),
    done: (c, _, { from }) => goTo(c, from === 'check' ? CHECK_PATH : PATH, 'sessions-ended'),
  }),
  known: action({
    reads: v.object({ network: text() }),
    confirms: true,
    run: (c, { network }) => confirmNetwork(c.get('deps'), sessionOf(c), network),
    done: (c) => {
      endChecking(c)
      return goTo(c, '/account', 'network-known')
    },
  }),
  'end-everything': action({
    run: (c) => endEverything(c.get('deps'), own(sessionOf(c))),
    done: async (c) => {
      await clearSessionToken(c)
      return goTo(c, '/account/sign-in', 'everything-ended')
    },
  }),
}).get('/', (c) => showSessions(c))

async function showSessions(c: AppContext, refused?: Refused) {
  const actor = sessionOf(c)
  const { account, ...found } = await listOwnSessions(c.get('deps'), actor)
  const view = await readView(c, account)
  const hasEnded = ['session-ended', 'sessions-ended'].includes(c.req.query('done') ?? '')
  const props = { view, ...found, currentId: actor.sessionId, hasEnded }
  return showForm(c, SessionsPage, props, refused)
}
