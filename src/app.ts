import { mountApi } from './api.ts'
import { CAPABILITIES } from './capabilities.ts'
import { countDeadAppPasswords } from './capabilities/app-passwords/http/count-dead.ts'
import type { Deps } from './core/deps.ts'
import { createFileRules, forwardToFiles } from './capabilities/files/http/gateway.ts'
import { limitBody } from './web/http/body-limit.ts'
import { bookmark } from './web/http/bookmark.ts'
import type { App } from './web/http/context.ts'
import { refuse } from './web/http/envelope.ts'
import { answerPreflight, browserRules, isPreflight, ping } from './web/http/headers.ts'
import { httpsOnly } from './web/http/https.ts'
import { logError } from './core/database/log.ts'
import { answerUnrouted } from './web/http/http-methods.ts'
import { mailsAfterRequests } from './capabilities/joining/http/after-requests.ts'
import { noticesAfterRequests } from './capabilities/notices/http/after-requests.ts'
import { requestLog } from './web/http/request-log.ts'
import { Hono } from 'hono'
import { TrieRouter } from 'hono/router/trie-router'
import { tellClients } from './capabilities/openid/http/tell-clients.ts'
import { faultPage } from './capabilities/files/pages/fault-page.ts'
import { answerUnknownPath, pageRoutes } from './pages.tsx'
import { pageSource } from './page-source.ts'
import { loggedPath } from './core/base/logged-path.ts'
import { refusalIn } from './core/base/refusals.ts'

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
    await next().catch(throwError)
  })
  app.use(requestLog)
  app.use(createFileRules(faultPage))
  app.use(browserRules)
  app.use(httpsOnly)
  app.use('/api/*', limitBody)
  app.use('/oauth/*', limitBody)
  app.use('/api/*', countDeadAppPasswords)
  app.use('/dav/*', countDeadAppPasswords)
  app.use(noticesAfterRequests)
  app.use(tellClients)
  app.use(mailsAfterRequests)
  app.use(forwardToFiles)
  for (const path of ['/api/auth/*', '/api/authn/*', '/api/me/*', '/api/admin/*', '/account/*'])
    app.use(path, bookmark)

  mountApi(app)
  // People type it with a slash too.
  app.get('/account/', (c) => c.redirect('/account'))
  app.route('/account', pageRoutes)
  for (const { outerPages = [] } of CAPABILITIES)
    for (const [path, routes] of outerPages) app.route(path, routes)
  app.get('/', (c) => c.redirect('/account'))

  app.notFound(answerUnknownPath(answerUnrouted(app)))
  app.onError((error, c) => {
    const refusal = refusalIn(error)
    if (refusal.code >= 500)
      logError(error, { id: c.get('requestId'), path: loggedPath(c.req.path) })
    if (refusal.retryAfterSeconds !== undefined) {
      c.header('Retry-After', String(refusal.retryAfterSeconds))
    }
    return refuse(c, refusal)
  })
  return app
}

/** Wraps a thrown value that is not an error: Hono hands only errors to `onError`. */
function throwError(thrown: unknown): never {
  throw thrown instanceof Error ? thrown : new Error(String(thrown))
}
