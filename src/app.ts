import { bodyLimit } from 'hono/body-limit'
import { mountApi } from './api.ts'
import type { Deps } from './deps.ts'
import { bookmark } from './http/bookmark.ts'
import type { AppContext } from './http/context.ts'
import { refuse } from './http/envelope.ts'
import { browserRules, isPreflight } from './http/headers.ts'
import { httpsOnly } from './http/https.ts'
import { logError } from './http/log.ts'
import { answerUnrouted } from './http/methods.ts'
import { ping } from './http/ping.ts'
import { requestLog } from './http/request-log.ts'
import { Routes } from './http/routes.ts'
import { pageRoutes } from './pages/routes.tsx'
import { Refusal, refusalIn } from './refusals.ts'

const MAX_BODY_BYTES = 64 * 1024

type DepsFor = (env: Env, defer: Deps['defer'], request: Request) => Deps

/**
 * The whole service. `/ping` stands alone in front of it: Hono calls the only handler of a path
 * without building a chain, and whoever measures a connection asks often.
 */
export function createApp(depsFor: DepsFor): Routes {
  const service = createService(depsFor)
  const passOn = (c: AppContext) => service.fetch(c.req.raw, c.env, c.executionCtx)
  const app = new Routes()
  // A browser asks first whether it may send its token along.
  app.options('/ping', (c, next) => (isPreflight(c.req.raw) ? passOn(c) : next()))
  app.all('/ping', ping)
  app.notFound(passOn)
  return app
}

/** The map of the service: what every request passes, then who answers which path. */
export function createService(depsFor: DepsFor): Routes {
  const app = new Routes()

  app.use(async function provideDeps(c, next) {
    c.set(
      'deps',
      depsFor(c.env, (work) => c.executionCtx.waitUntil(work), c.req.raw),
    )
    await next().catch(throwError)
  })
  app.use(requestLog)
  app.use(browserRules)
  app.use(httpsOnly)
  app.use(
    '/api/*',
    bodyLimit({
      maxSize: MAX_BODY_BYTES,
      onError: () => {
        throw new Refusal('bodyTooLarge')
      },
    }),
  )
  for (const path of ['/api/auth/*', '/api/me/*', '/api/admin/*', '/account/*'])
    app.use(path, bookmark)

  mountApi(app)
  app.route('/account', pageRoutes)
  app.get('/', (c) => c.redirect('/account'))

  app.notFound(answerUnrouted(app))
  app.onError((error, c) => {
    const refusal = refusalIn(error)
    if (refusal.code >= 500) logError(error, { id: c.get('requestId'), path: c.req.path })
    if (refusal.retryAfterSeconds !== undefined) {
      c.header('Retry-After', String(refusal.retryAfterSeconds))
    }
    return refuse(c, refusal)
  })
  return app
}

/** Hono hands only errors to `onError`; what else is thrown becomes one. */
function throwError(thrown: unknown): never {
  throw thrown instanceof Error ? thrown : new Error(String(thrown))
}
