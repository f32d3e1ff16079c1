import { createMiddleware } from 'hono/factory'
import type { App } from './context.ts'

/** Writes one line per request, and gives the answer the id to find it by. */
export const requestLog = createMiddleware<App>(async function requestLog(c, next) {
  const { now, meter } = c.var.deps
  const id = c.req.header('CF-Ray') ?? crypto.randomUUID()
  const start = now()
  c.set('requestId', id)
  await next()
  c.header('X-Request-Id', id)
  const { method, path: route } = c.req
  const code = c.get('outcome') ?? c.res.status
  const line = {
    event: 'request',
    id,
    method,
    route,
    code,
    ms: now() - start,
    trips: meter.roundTrips,
  }
  console.log(JSON.stringify(line))
})
