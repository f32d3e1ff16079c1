import { Hono } from 'hono'
import type { App } from '../../../web/http/context.ts'
import { ok } from '../../../web/http/envelope.ts'
import { actorOf, admin } from '../../../web/http/guard.ts'
import { checkHealth } from '../health.ts'
import { checksOf } from './checks.ts'

/** Routes under `/api/admin/health`, for operators. */
export const healthRoutes = new Hono<App>().get('/', admin(), async (c) => {
  const { own, others } = await checkHealth(c.get('deps'), actorOf(c), checksOf(c))
  const records = others.map(({ name, health, record }) => [name, { ...health, ...record }])
  return ok(c, { ...own, ...Object.fromEntries(records) })
})
