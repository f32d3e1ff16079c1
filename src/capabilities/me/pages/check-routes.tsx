import { Hono } from 'hono'
import { selectEvents } from '../../../core/audit/event-lists.ts'
import { inBatchOf } from '../../../core/database/shared-batch.ts'
import type { App, AppContext } from '../../../web/http/context.ts'
import { sessionOf } from '../../../web/http/guard.ts'
import { action, formsOf } from '../../../web/kit/action.ts'
import { beginChecking, CHECK_PATH, endChecking } from '../../../web/kit/checking.ts'
import { loadPartsOfUser } from '../../../web/kit/capability.ts'
import type { Refused } from '../../../web/kit/form.ts'
import { showForm } from '../../../web/kit/frames.tsx'
import { goTo, readView } from '../../../web/kit/view.ts'
import { finishCheck, listOwnSessions } from '../../sessions/manage.ts'
import { signInPath } from '../../sign-in/pages/next.ts'
import { clearSessionToken } from '../../sign-in/pages/session-cookie.ts'
import { changeProfile } from '../profile.ts'
import { CheckPage } from './check.tsx'
import { parsePassword } from './parse-password.ts'
import { listed } from './remaining-access.tsx'

/** The check of an account that may be in other hands, under `/account/security/check`. */
export const checkPages = new Hono<App>()
  .get('/', (c) => showCheck(c))
  .route(
    '/',
    formsOf(CHECK_PATH, showCheck, {
      password: action({
        reads: parsePassword,
        run: (c, passwords) => changeProfile(c.get('deps'), sessionOf(c), passwords),
        async done(c) {
          await clearSessionToken(c)
          return goTo(c, signInPath(CHECK_PATH), 'password-changed')
        },
      }),
      done: action({
        confirms: true,
        run: (c) => finishCheck(c.get('deps'), sessionOf(c)),
        done(c) {
          endChecking(c)
          return goTo(c, '/account', 'account-checked')
        },
      }),
    }),
  )

async function showCheck(c: AppContext, refused?: Refused) {
  const actor = sessionOf(c)
  const deps = c.get('deps')
  const parts = await loadPartsOfUser(c.get('capabilities'))
  const kinds = parts.flatMap(({ remaining = [], connected = [] }) => [remaining, connected].flat())
  const { ran, works } = await inBatchOf(
    (others) => listOwnSessions(deps, actor, others),
    (batch) => [
      batch.add({
        changed: selectEvents(
          deps.db,
          actor.userId,
          { limit: 1, offset: 0 },
          { kind: 'password_changed' },
        ),
      }),
      ...kinds.map((find) => find(deps, actor.userId, batch)),
    ],
  )
  const [{ changed }, ...found] = works
  const { account, sessions, newNetworks, countries } = ran
  beginChecking(c)
  const props = {
    view: await readView(c, account),
    sessions,
    newNetworks,
    countries,
    currentId: actor.sessionId,
    passwordAt: changed[0]?.at,
    remaining: listed(found),
    empty: found.filter(({ rows }) => rows.length === 0),
  }
  return showForm(c, CheckPage, props, refused)
}
