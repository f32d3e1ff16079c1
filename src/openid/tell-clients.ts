import { createMiddleware } from 'hono/factory'
import type { App } from '../http/context.ts'
import { logError } from '../http/log.ts'
import { sendLogouts } from './back-channel.ts'

/** The paths that end sessions, or the access of a program. Signing in ends none. */
const ENDS_SESSIONS =
  /^\/(?:api\/(?:auth\/(?:logout|2fa\/)|me\/|admin\/user\/)|account\/(?!sign-in)|oauth\/(?:authorize\/switch|end_session))/

/** Sends the back-channel logouts of a request that may have ended sessions, after its answer. */
export const tellClients = createMiddleware<App>(async function tellClients(c, next) {
  await next()
  const deps = c.get('deps')
  if (deps.meter.rowsWritten === 0 || !ENDS_SESSIONS.test(c.req.path)) return
  const about = { id: c.get('requestId'), path: c.req.path }
  const work = sendLogouts({ ...deps, db: deps.backgroundDb })
  deps.defer(work.catch((error: unknown) => logError(error, about)))
})
