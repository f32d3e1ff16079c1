import { Hono } from 'hono'
import { createMiddleware } from 'hono/factory'
import { clientOf } from '../../../web/http/client.ts'
import type { App } from '../../../web/http/context.ts'
import { ok } from '../../../web/http/envelope.ts'
import { jsonBody } from '../../../web/http/input.ts'
import { registrationSchema } from '../fields.ts'
import { type OpenRegistration, readOpenRegistration, register } from '../register.ts'

/** The settings, which a registration without an invitation needs. */
type Opened = App & { Variables: { open?: OpenRegistration } }

/**
 * Refuses a registration without an invitation before its fields are read, while the site takes
 * none.
 */
const refuseWhileClosed = createMiddleware<Opened>(async function refuseWhileClosed(c, next) {
  const body: unknown = await c.req.json().catch(() => undefined)
  const isInvited =
    typeof body === 'object' && body !== null && 'invitation' in body && Boolean(body.invitation)
  if (!isInvited) c.set('open', await readOpenRegistration(c.get('deps')))
  await next()
})

/** Routes under `/api/auth` that need no session. */
export const joiningRoutes = new Hono<App>().post(
  '/register',
  refuseWhileClosed,
  jsonBody(registrationSchema),
  async (c) => {
    await register(c.get('deps'), c.req.valid('json'), clientOf(c), c.get('open'))
    return ok(c, null)
  },
)
