import { Hono } from 'hono'
import type { App } from '../../../web/http/context.ts'
import { ok } from '../../../web/http/envelope.ts'
import { sessionOf, signedIn } from '../../../web/http/guard.ts'
import { jsonBody } from '../../../web/http/input.ts'
import { languageOf } from '../../../web/http/language.ts'
import { addressSchema, linkSchema } from '../fields.ts'
import { changeOwnEmail, confirmOwnEmail, sendConfirmation } from '../own-email.ts'

/** Routes for the own e-mail address, under `/api/me`. */
export const emailRoutes = new Hono<App>()
  .post('/email', signedIn('guestProfile', 'session'), jsonBody(addressSchema), async (c) => {
    await changeOwnEmail(c.get('deps'), sessionOf(c), c.req.valid('json').email, languageOf(c))
    return ok(c, null)
  })
  .post('/email/send', signedIn('guestProfile', 'session'), async (c) => {
    await sendConfirmation(c.get('deps'), sessionOf(c), languageOf(c))
    return ok(c, null)
  })
  .post('/email/confirm', signedIn('guestProfile', 'session'), jsonBody(linkSchema), async (c) => {
    await confirmOwnEmail(c.get('deps'), sessionOf(c), c.req.valid('json').link)
    return ok(c, null)
  })
