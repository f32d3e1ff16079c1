import { Hono } from 'hono'
import { limitBody } from '../web/http/body-limit.ts'
import type { App, AppContext } from '../web/http/context.ts'
import { logError } from '../core/database/log.ts'
import { loggedPath } from '../core/base/logged-path.ts'
import { Refusal, refusalIn } from '../core/base/refusals.ts'
import { YEAR_SECONDS } from '../core/base/time.ts'
import { readSettings } from '../capabilities/settings/copy.ts'
import { closeAnnouncement } from '../web/kit/announcement.tsx'
import { pageHeaders } from '../web/kit/headers.ts'
import { loadPart } from '../core/base/load-part.ts'
import { middlewareFor } from '../web/kit/capability.ts'
import { attempt, readForm } from '../web/kit/form.ts'
import { isLanguage, rememberLanguage, textsFor } from '../web/kit/language.ts'
import { localPathOf, parseLocalPath } from '../web/kit/local-path.ts'
import {
  listWithout,
  MissingPage,
  NotFoundPage,
  ProblemPage,
  showContinue,
} from '../web/kit/problem-page.tsx'
import { sameOrigin } from '../web/kit/same-origin.ts'
import { type LoadedRoutes, mountRoutes } from './mounts.ts'
import { isFromAnotherSite } from '../web/http/page-here.ts'
import { sessionToken } from '../web/http/session-cookie.ts'
import { isSessionOver, lacksSecondFactor } from '../web/kit/session-over.ts'
import { signInPath } from '../capabilities/sign-in/pages/next.ts'
import { themeOf } from '../capabilities/settings/pages/theme.ts'
import { goTo, readView, showPage, type View } from '../web/kit/view.ts'

/** The pages under `/account`: those of the site, and those that are loaded. */
export const pageRoutes = (loaded: readonly LoadedRoutes[]): Hono<App> =>
  new Hono<App>()
    .use(pageHeaders)
    .use(sameOrigin)
    .use(limitBody)
    .get('/:theme{theme-[0-9a-f]+\\.css}', async (c) => {
      const { path, css } = await themeOf((await readSettings(c.get('deps'))).values.main_color)
      // A path of another version gets the current theme, and browsers must not keep it.
      const caching =
        c.req.path === path ? `public, max-age=${YEAR_SECONDS}, immutable` : 'public, no-cache'
      return c.body(css, 200, {
        'Content-Type': 'text/css; charset=utf-8',
        'Cache-Control': caching,
      })
    })
    .post('/language', async (c) => {
      const { language = '', path = '' } = await readForm(c)
      if (!isLanguage(language)) throw new Refusal('requestInvalid')
      rememberLanguage(c, language)
      return goTo(c, parseLocalPath(path) || '/account')
    })
    .post('/announcement', async (c) => {
      const { id = '', path = '' } = await readForm(c)
      closeAnnouncement(c, id)
      return goTo(c, parseLocalPath(path) || '/account')
    })
    .route('/', mountRoutes(new Hono<App>(), 'publicPages', loaded))
    .route(
      '/',
      new Hono<App>()
        .use(
          middlewareFor(
            () => true,
            async () => (await loadSessions()).requireSession,
          ),
        )
        .route('/', mountRoutes(new Hono<App>(), 'pages', loaded))
        .route('/admin', mountRoutes(new Hono<App>(), 'operatorPages', loaded)),
    )
    .all('/*', () => {
      throw new Refusal('unknownPath')
    })
    .onError((error, c) => showFailure(error, c))

export async function showFailure(error: Error, c: AppContext) {
  const refusal = refusalIn(error)
  if (isSessionOver(refusal)) return askToSignIn(c)
  if (lacksSecondFactor(refusal)) return goTo(c, '/account/security')
  if (refusal.code >= 500) logError(error, { id: c.get('requestId'), path: loggedPath(c.req.path) })
  const view = await readView(c)
  if (refusal.refusal === 'unknownPath')
    return showPage(c, <NotFoundPage view={view} isSignedIn={sessionToken(c) !== ''} />, refusal)
  const list = listWithout(view, refusal)
  const ofAdmins = list && (await attempt(() => adminViewOf(c)))
  if (list !== undefined && ofAdmins !== undefined && !(ofAdmins instanceof Refusal))
    return showPage(c, <MissingPage view={ofAdmins} refusal={refusal} list={list} />, refusal)
  return showPage(c, <ProblemPage view={view} refusal={refusal} />, refusal)
}

/** Loads what pages of a session need; the sign-in page, the first that a visitor sees, has none. */
function loadSessions() {
  return import('../capabilities/sign-in/pages/session-cookie.ts')
}

async function adminViewOf(c: AppContext): Promise<View> {
  const { adminView } = await loadPart(() => import('../web/kit/admin/view.ts'))
  return adminView(c)
}

/** Answers a browser that opens an unknown path outside `/account`. */
export async function showUnknownPath(c: AppContext): Promise<Response> {
  await pageHeaders(c, async () => {
    const view = { ...(await readView(c)), path: '/account' }
    c.res = await showPage(
      c,
      <NotFoundPage view={view} isSignedIn={sessionToken(c) !== ''} />,
      new Refusal('unknownPath'),
    )
    c.header('Vary', 'Accept')
  })
  return c.res
}

/**
 * Sends the visitor to the sign-in page, which leads back to the page that was asked for.
 *
 * When a link on another site opens a page, the browser withholds the SameSite=Strict cookie. A
 * page of this site then reloads the path, which sends the cookie.
 */
async function askToSignIn(c: AppContext) {
  const wanted = localPathOf(c.req.url)
  if (sessionToken(c) === '') {
    if (!isFromAnotherSite(c) || c.req.method !== 'GET') return goTo(c, signInPath(wanted))
    // The path as the browser sent it: decoded, it could hold characters that break the header.
    return showContinue(c, wanted || new URL(c.req.url).pathname, textsFor(c).signIn.continue)
  }
  const { clearSessionToken } = await loadPart(loadSessions)
  await clearSessionToken(c)
  return goTo(c, signInPath(wanted), 'session-over')
}
