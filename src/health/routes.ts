import { Hono } from 'hono'
import type { App } from '../http/context.ts'
import { ok } from '../http/envelope.ts'
import { guard, notGuest, sessionOf } from '../http/guard.ts'
import { checkHealth, type PartHealth } from './health.ts'

/** Routes under `/api/admin/health`, for operators. */
export const healthRoutes = new Hono<App>().get('/', guard, notGuest('notAdmin'), async (c) => {
  const { d1, kv, hasher, migrations } = await checkHealth(c.get('deps'), sessionOf(c, 'notAdmin'))
  return ok(c, {
    d1: partRecord(d1),
    kv: partRecord(kv),
    hasher: partRecord(hasher),
    migrations: partRecord(migrations),
  })
})

function partRecord({ ok: isOk, milliseconds }: PartHealth) {
  return { ok: isOk, milliseconds }
}
