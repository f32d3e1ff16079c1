import { Hono } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { cors } from 'hono/cors'
import { mountApi } from './api.ts'
import type { Deps } from './deps.ts'
import { bookmark } from './http/bookmark.ts'
import type { App } from './http/context.ts'
import { refuse } from './http/envelope.ts'
import { securityHeaders } from './http/headers.ts'
import { logError } from './http/log.ts'
import { answerUnrouted } from './http/methods.ts'
import { isPreflight, ping } from './http/ping.ts'
import { requestLog } from './http/request-log.ts'
import { pageRoutes } from './pages/routes.tsx'
import { Refusal, refusalIn } from './refusals.ts'

const MAX_BODY_BYTES = 64 * 1024
const PREFLIGHT_SECONDS = 86_400

/** The map of the service: what every request passes, then who answers which path. */
export function createApp(
  depsFor: (env: Env, defer: Deps['defer'], request: Request) => Deps,
): Hono<App> {
  const app = new Hono<App>()

  app.all('/ping', ping)
  app.use(async function provideDeps(c, next) {
    c.set(
      'deps',
      depsFor(c.env, (work) => c.executionCtx.waitUntil(work), c.req.raw),
    )
    await next().catch(throwError)
  })
  app.use(requestLog)
  app.use(securityHeaders)
  // Any page may ask: the token is a header that its own script has to set, never a cookie.
  const allowAnyOrigin = cors({
    origin: '*',
    allowMethods: ['GET', 'HEAD', 'POST'],
    allowHeaders: ['Authorization', 'Content-Type', 'X-D1-Bookmark'],
    exposeHeaders: ['ETag', 'Retry-After', 'Server-Timing', 'X-D1-Bookmark', 'X-Request-Id'],
    maxAge: PREFLIGHT_SECONDS,
  })
  app.use(async function crossOrigin(c, next) {
    if (c.req.method === 'OPTIONS' && !isPreflight(c.req.raw)) return next()
    // Pages are for people, and their forms know by a cookie who sends them.
    if (/^\/account(\/|$)/.test(c.req.path)) return next()
    return allowAnyOrigin(c, next)
  })
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
    if (refusal.code >= 500) logError(error, { id: c.var.requestId, path: c.req.path })
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
