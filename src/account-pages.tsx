import { Hono } from 'hono'
import * as v from 'valibot'
import { readAccountAs } from './core/access/act-as.ts'
import { Refusal } from './core/base/refusals.ts'
import { text } from './core/base/text.ts'
import { clientOf } from './web/http/client.ts'
import type { App, AppContext } from './web/http/context.ts'
import { actorOf, sessionOf } from './web/http/guard.ts'
import { idQuery, validate } from './web/http/input.ts'
import { readOwnDetails } from './capabilities/joining/details.ts'
import {
  endEverything,
  endOtherSessions,
  endSession,
  listSessions,
} from './capabilities/sessions/own-sessions.ts'
import { logout } from './capabilities/sign-in/sign-out.ts'
import { addKey, listKeysWithHelp, removeKey, removeKeys } from './capabilities/ssh-keys/keys.ts'
import { keySchema } from './capabilities/ssh-keys/title.ts'
import { readOverview } from './capabilities/me/overview.ts'
import { adminPages } from './admin-pages.tsx'
import { confirmWith } from './web/kit/confirm.tsx'
import { attempt, type Fields, readForm } from './web/kit/form.ts'
import { showForm } from './web/kit/frames.tsx'
import { emailPages } from './capabilities/joining/pages/own-email-routes.tsx'
import { WelcomePage } from './capabilities/joining/pages/pages.tsx'
import { NEWEST } from './web/kit/rows.tsx'
import {
  clearSessionToken,
  sessionToken,
  requireSession,
} from './capabilities/sign-in/pages/session-cookie.ts'
import { backTo, goTo, readView, showPage } from './web/kit/view.ts'
import { activityPages } from './capabilities/activity/pages/activity.tsx'
import { appPasswordPages } from './capabilities/app-passwords/pages/app-passwords-routes.tsx'
import { KeysPage } from './capabilities/ssh-keys/pages/keys.tsx'
import { NewKeyPage } from './capabilities/ssh-keys/pages/new-key.tsx'
import { noticePages } from './capabilities/notices/pages/notice-routes.tsx'
import { OverviewPage } from './capabilities/me/pages/overview.tsx'
import { programPages } from './capabilities/openid/pages/programs.tsx'
import { securityPages } from './capabilities/me/pages/security-routes.tsx'
import { SessionsPage } from './capabilities/sessions/pages/sessions.tsx'

const sessionSchema = v.object({ id: text() })

/** The pages of a user's own account, under `/account`. */
export const accountPages = new Hono<App>()
  .use(requireSession)
  .get('/', async (c) => {
    const overview = await readOverview(c.get('deps'), sessionOf(c))
    return showPage(c, <OverviewPage view={await readView(c, overview.account)} {...overview} />)
  })
  .post('/sign-out', async (c) => {
    await logout(c.get('deps'), sessionToken(c), clientOf(c))
    clearSessionToken(c)
    return goTo(c, '/account/sign-in', 'signed-out')
  })
  .get('/welcome', async (c) => {
    const [deps, actor] = [c.get('deps'), sessionOf(c)]
    const [{ account, counts }, { details }] = await Promise.all([
      readOverview(deps, actor),
      readOwnDetails(deps, actor),
    ])
    const props = { view: await readView(c, account), counts, hasAddress: details.emailVerified }
    return showPage(c, <WelcomePage {...props} />)
  })
  .route('/security', securityPages)
  .route('/activity', activityPages)
  .route('/app-passwords', appPasswordPages)
  .route('/programs', programPages)
  .route('/notices', noticePages)
  .route('/email', emailPages)
  .route('/admin', adminPages)
  .get('/keys', (c) => showKeys(c))
  .get('/keys/add', (c) => showNewKey(c))
  .post('/keys/add', async (c) => {
    const fields = await readForm(c)
    const refusal = await attempt(async () => {
      const { title, key } = validate(keySchema, fields)
      await confirmWith(c, fields)
      await addKey(c.get('deps'), actorOf(c), title, key)
    })
    if (refusal instanceof Refusal) return showNewKey(c, fields, refusal)
    return goTo(c, `/account/keys#${NEWEST}`, 'key-added')
  })
  .post('/keys/delete', async (c) => {
    const fields = await readForm(c)
    const refusal = await attempt(async () =>
      removeKey(c.get('deps'), actorOf(c), validate(idQuery, fields).id),
    )
    if (refusal instanceof Refusal) return showKeys(c, refusal)
    return goTo(c, '/account/keys', 'key-deleted')
  })
  .post('/keys/delete-all', async (c) => {
    await removeKeys(c.get('deps'), actorOf(c))
    return goTo(c, '/account/keys', 'keys-deleted')
  })
  .get('/sessions', (c) => showSessions(c))
  .post('/sessions/end', async (c) => {
    const fields = await readForm(c)
    const refusal = await attempt(async () =>
      endSession(c.get('deps'), actorOf(c), validate(sessionSchema, fields).id),
    )
    if (refusal instanceof Refusal) return showSessions(c, refusal)
    return goTo(c, '/account/sessions', 'session-ended')
  })
  .post('/sessions/end-others', async (c) => {
    await endOtherSessions(c.get('deps'), actorOf(c))
    return goTo(c, '/account/sessions', 'sessions-ended')
  })
  .post('/sessions/end-everything', async (c) => {
    await endEverything(c.get('deps'), sessionOf(c))
    clearSessionToken(c)
    return goTo(c, '/account/sign-in', 'everything-ended')
  })
  .get('/keys/:form', backTo('/account/keys'))
  .get('/sessions/:form', backTo('/account/sessions'))

async function showKeys(c: AppContext, refusal?: Refusal) {
  const listed = await listKeysWithHelp(c.get('deps'), actorOf(c))
  const view = await readView(c, listed.account)
  return showForm(c, KeysPage, { view, ...listed }, refusal)
}

async function showNewKey(c: AppContext, fields?: Fields, refusal?: Refusal) {
  const account = await readAccountAs(c.get('deps'), actorOf(c))
  const view = await readView(c, account)
  return showForm(c, NewKeyPage, { view, fields }, refusal)
}

async function showSessions(c: AppContext, refusal?: Refusal) {
  const actor = sessionOf(c)
  const { account, sessions } = await listSessions(c.get('deps'), actor)
  const view = await readView(c, account)
  const props = { view, sessions, currentId: actor.sessionId }
  return showForm(c, SessionsPage, props, refusal)
}
