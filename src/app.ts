import { Hono } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { cors } from 'hono/cors'
import { eventRoutes } from './audit/routes.ts'
import type { Deps } from './deps.ts'
import type { App } from './http/context.ts'
import { refuse } from './http/envelope.ts'
import { securityHeaders } from './http/headers.ts'
import { logError } from './http/log.ts'
import { answerUnrouted } from './http/methods.ts'
import { requestLog } from './http/request-log.ts'
import { loginRoutes } from './login/routes.ts'
import { pageRoutes } from './pages/routes.tsx'
import { Refusal, refusalIn } from './refusals.ts'
import { adminSettingRoutes } from './settings/admin-routes.ts'
import { publicRoutes, siteRoutes } from './settings/routes.ts'
import { adminKeyRoutes } from './ssh-keys/admin-routes.ts'
import { sshKeyRoutes } from './ssh-keys/routes.ts'
import { sftpRoutes } from './ssh-keys/sftp-routes.ts'
import { sessionRoutes } from './tokens/routes.ts'
import { twoFactorRoutes } from './two-factor/routes.ts'
import { adminUserRoutes } from './users/admin-routes.ts'
import { userRoutes } from './users/routes.ts'

const MAX_BODY_BYTES = 64 * 1024
const PREFLIGHT_SECONDS = 86_400

/** The map of the service: what every request passes, then who answers which path. */
export function createApp(
  depsFor: (env: Env, defer: Deps['defer'], request: Request) => Deps,
): Hono<App> {
  const app = new Hono<App>()

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
    allowHeaders: ['Authorization', 'Content-Type'],
    exposeHeaders: ['ETag', 'Retry-After', 'X-Request-Id'],
    maxAge: PREFLIGHT_SECONDS,
  })
  app.use(async function crossOrigin(c, next) {
    const isPreflight = c.req.header('Access-Control-Request-Method') !== undefined
    if (c.req.method === 'OPTIONS' && !isPreflight) return next()
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

  app.all('/ping', (c) => c.text('pong'))
  app.route('/api/auth', loginRoutes)
  app.route('/api/auth/2fa', twoFactorRoutes)
  app.route('/api/me', userRoutes)
  app.route('/api/me/sshkey', sshKeyRoutes)
  app.route('/api/me/sessions', sessionRoutes)
  app.route('/api/me/events', eventRoutes)
  app.route('/api/admin/user', adminUserRoutes)
  app.route('/api/admin/user/sshkey', adminKeyRoutes)
  app.route('/api/admin/setting', adminSettingRoutes)
  app.route('/api/sftp', sftpRoutes)
  app.route('/api/public', publicRoutes)
  app.route('/', siteRoutes)
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
