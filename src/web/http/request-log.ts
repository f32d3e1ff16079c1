import { createMiddleware } from 'hono/factory'
import { routePath } from 'hono/route'
import type { Meter } from '../../core/database/database.ts'
import { isSessionActor } from '../../core/access/actor.ts'
import { clientOf } from './client.ts'
import { type App, type AppContext, isRefusedStranger } from './context.ts'
import { FRONT_OUTCOME_HEADER } from './front.ts'
import { loggedPath } from '../../core/base/logged-path.ts'
import { terminalJson } from '../../core/base/text.ts'

/** No route is longer; longer paths come from scanners. */
const MAX_LOGGED_CHARACTERS = 200

/** Logs one line per request, counts the answer, and sets `X-Request-Id` and `Server-Timing`. */
export const requestLog = createMiddleware<App>(async function requestLog(c, next) {
  const { now, meter, count } = c.get('deps')
  const id = c.req.header('CF-Ray') ?? crypto.randomUUID()
  const start = now()
  c.set('requestId', id)
  await next()
  const milliseconds = now() - start
  c.res.headers.set('X-Request-Id', id)
  const { method, path } = c.req
  if (path.startsWith('/api/') && !isRefusedStranger(c))
    c.res.headers.set('Server-Timing', serverTiming(meter, milliseconds))
  const code = c.get('outcome') ?? c.res.status
  if (c.env.FRONT_SECRET !== undefined)
    c.res.headers.set(FRONT_OUTCOME_HEADER, `${code} ${callersId(c) ?? ''}`)
  const { roundTrips, rowsRead, rowsWritten } = meter
  const line = {
    event: 'request',
    id,
    // Before the path, which the client chooses: fail2ban reads from the left.
    network: clientOf(c).network,
    method,
    route: loggedPath(path).slice(0, MAX_LOGGED_CHARACTERS),
    code,
    ms: milliseconds,
    trips: roundTrips,
    rows: rowsRead,
  }
  console.log(terminalJson(line))
  count?.({
    method,
    route: routePath(c, -1),
    code,
    milliseconds,
    roundTrips,
    rowsRead,
    rowsWritten,
  })
})

/** @returns `undefined` for callers without a valid token. */
function callersId(c: AppContext): number | undefined {
  const caller = c.get('caller')
  if (caller === undefined || 'guest' in caller) return undefined
  const { actor } = caller
  return isSessionActor(actor) ? actor.userId : c.get('deps').meter.owners.get(actor.tokenHash)
}

/**
 * Formats the times in whole milliseconds, so that they reveal no more than a stopwatch does.
 *
 * @see https://www.w3.org/TR/server-timing/
 */
function serverTiming(meter: Meter, milliseconds: number): string {
  const { databaseMilliseconds, hashMilliseconds } = meter
  const [db, hash] = [Math.round(databaseMilliseconds), Math.round(hashMilliseconds)]
  return `db;dur=${db}, hash;dur=${hash}, total;dur=${milliseconds}`
}
