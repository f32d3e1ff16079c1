import { loggedPath } from '../../../core/base/logged-path.ts'
import { createMiddleware } from 'hono/factory'
import type { App } from '../../../web/http/context.ts'
import { logError } from '../../../core/database/log.ts'

/** Sends the back-channel logouts of a request that has ended something, after its answer. */
export const tellClients = createMiddleware<App>(async function tellClients(c, next) {
  await next()
  const deps = c.get('deps')
  if (!deps.meter.toSend.has('logouts')) return
  const about = { id: c.get('requestId'), path: loggedPath(c.req.path) }
  const send = async () => {
    const { sendLogouts } = await import('../back-channel.ts')
    await sendLogouts({ ...deps, db: deps.backgroundDb })
  }
  deps.defer(send().catch((error: unknown) => logError(error, about)))
})
