import { Hono } from 'hono'
import type { App } from '../../../web/http/context.ts'
import { ok } from '../../../web/http/envelope.ts'
import { actorOf, admin } from '../../../web/http/guard.ts'
import { checkHealth, type PartHealth } from '../health.ts'

/** Routes under `/api/admin/health`, for operators. */
export const healthRoutes = new Hono<App>().get('/', admin(), async (c) => {
  const { d1, kv, hasher, migrations, files } = await checkHealth(c.get('deps'), actorOf(c))
  return ok(c, {
    d1: partRecord(d1),
    kv: partRecord(kv),
    hasher: partRecord(hasher),
    migrations: partRecord(migrations),
    ...(files !== undefined && {
      files: {
        ...partRecord(files),
        problem: files.problem ?? null,
        links: files.links,
      },
    }),
  })
})

function partRecord({ ok: isOk, milliseconds }: PartHealth) {
  return { ok: isOk, milliseconds }
}
