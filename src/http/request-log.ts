import { createMiddleware } from 'hono/factory'
import type { App } from './context.ts'

/** No path of ours is longer; others are somebody's noise. */
const MAX_LOGGED_CHARACTERS = 200

/** Writes one line per request, and gives the answer the id to find it by. */
export const requestLog = createMiddleware<App>(async function requestLog(c, next) {
  const { now, meter } = c.var.deps
  const id = c.req.header('CF-Ray') ?? crypto.randomUUID()
  const start = now()
  c.set('requestId', id)
  await next()
  c.header('X-Request-Id', id)
  const { method, path } = c.req
  const code = c.get('outcome') ?? c.res.status
  const line = {
    event: 'request',
    id,
    method,
    route: path.slice(0, MAX_LOGGED_CHARACTERS),
    code,
    ms: now() - start,
    trips: meter.roundTrips,
  }
  console.log(JSON.stringify(line))
})
