import { Hono } from 'hono'
import { clientOf } from '../../../web/http/client.ts'
import type { App } from '../../../web/http/context.ts'
import { ok } from '../../../web/http/envelope.ts'
import { jsonBody } from '../../../web/http/input.ts'
import { languageOf } from '../../../web/http/language.ts'
import { forgottenSchema, resetSchema } from '../fields.ts'
import { mailForgotten } from '../forgotten.ts'
import { resetPassword } from '../reset.ts'

/** Routes for people who have forgotten their password, under `/api/auth`. */
export const forgottenRoutes = new Hono<App>()
  .post('/forgotten', jsonBody(forgottenSchema), async (c) => {
    const { name } = c.req.valid('json')
    await mailForgotten(c.get('deps'), name, clientOf(c), languageOf(c))
    return ok(c, null)
  })
  .post('/reset', jsonBody(resetSchema), async (c) => {
    const { link, password } = c.req.valid('json')
    await resetPassword(c.get('deps'), link, password, clientOf(c), languageOf(c))
    return ok(c, null)
  })
