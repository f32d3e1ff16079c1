import { CAPABILITIES, mount } from './capabilities.ts'
import type { Deps } from './core/deps.ts'
import { limitBody } from './web/http/body-limit.ts'
import { bookmark } from './web/http/bookmark.ts'
import type { App, AppContext } from './web/http/context.ts'
import { refuse } from './web/http/envelope.ts'
import { answerPreflight, browserRules, isPreflight, ping } from './web/http/headers.ts'
import { httpsOnly } from './web/http/https.ts'
import { logError } from './core/database/log.ts'
import { answerUnrouted } from './web/http/http-methods.ts'
import { isSessionOver, lacksSecondFactor } from './web/kit/session-over.ts'
import { clearSessionToken } from './capabilities/sign-in/pages/session-cookie.ts'
import { requestLog } from './web/http/request-log.ts'
import { Hono } from 'hono'
import { TrieRouter } from 'hono/router/trie-router'
import { answerUnknownPath, pageRoutes } from './pages.tsx'
import { pageSource } from './page-source.ts'
import { loggedPath } from './core/base/logged-path.ts'
import { Refusal, refusalIn } from './core/base/refusals.ts'

const MIDDLEWARE = CAPABILITIES.flatMap(({ middleware = [] }) => middleware)

type DepsFor = (env: Env, defer: Deps['defer'], request: Request) => Deps

/** Creates the application: the middleware of every request, then the routes of each path. */
export function createApp(depsFor: DepsFor): Hono<App> {
  // Hono's own choice would build a RegExpRouter first, which takes no two patterns for one place
  // (`/api/*`, `/:name`), and then this one.
  const app = new Hono<App>({ router: new TrieRouter() })

  // Latency probes call `/ping` often, so it stands before the middleware and passes none of it.
  app.options('/ping', (c, next) => (isPreflight(c.req.raw) ? answerPreflight(c, next) : next()))
  app.all('/ping', ping)

  app.use(async function provideDeps(c, next) {
    c.set(
      'deps',
      depsFor(c.env, (work) => c.executionCtx.waitUntil(work), c.req.raw),
    )
    c.set('pageSource', pageSource)
    c.set('capabilities', CAPABILITIES)
    await next().catch(throwError)
  })
  app.use(requestLog)
  for (const { first } of MIDDLEWARE) if (first !== undefined) app.use(first)
  app.use(browserRules)
  app.use(httpsOnly)
  app.use('/api/*', limitBody)
  app.use('/oauth/*', limitBody)
  for (const { around = [] } of MIDDLEWARE)
    for (const [path, middleware] of around) app.use(path, middleware)
  for (const { last } of MIDDLEWARE) if (last !== undefined) app.use(last)
  for (const path of ['/api/auth/*', '/api/authn/*', '/api/me/*', '/api/admin/*', '/account/*'])
    app.use(path, bookmark)

  mount(app, 'api')
  // People type it with a slash too.
  app.get('/account/', (c) => c.redirect('/account'))
  app.route('/account', pageRoutes)
  mount(app, 'outerPages')
  app.get('/', (c) => c.redirect('/account'))

  app.notFound(answerUnknownPath(answerUnrouted(app)))
  app.onError((error, c) => {
    const refusal = c.get('isByMarker') === true ? forClient(c, error) : refusalIn(error)
    if (refusal.code >= 500)
      logError(error, { id: c.get('requestId'), path: loggedPath(c.req.path) })
    if (refusal.retryAfterSeconds !== undefined) {
      c.header('Retry-After', String(refusal.retryAfterSeconds))
    }
    return refuse(c, refusal)
  })
  return app
}

/**
 * Makes a refusal for a page of the web client. At 401 the page goes to the sign-in page, which
 * leads on to where a second factor is set up; it takes 403 for the password of a folder. When the
 * session is over, so is what the browser keeps of it.
 */
function forClient(c: AppContext, error: unknown): Refusal {
  const refusal = refusalIn(error)
  if (isSessionOver(refusal)) clearSessionToken(c)
  return lacksSecondFactor(refusal) ? new Refusal('factorBeforeFiles') : refusal
}

/** Wraps a thrown value that is not an error: Hono hands only errors to `onError`. */
function throwError(thrown: unknown): never {
  throw thrown instanceof Error ? thrown : new Error(String(thrown))
}
