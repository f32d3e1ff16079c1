import { Hono } from 'hono'
import { own } from '../../../core/access/subject.ts'
import { isoTimeOrNull } from '../../../core/base/time.ts'
import type { App } from '../../../web/http/context.ts'
import { ok } from '../../../web/http/envelope.ts'
import { actorOf, sessionOf, signedIn } from '../../../web/http/guard.ts'
import { jsonBody } from '../../../web/http/input.ts'
import { languageOf } from '../../../web/http/language.ts'
import { addressSchema, linkSchema } from '../fields.ts'
import { readDetails } from '../details.ts'
import { changeOwnEmail, confirmOwnEmail, sendConfirmation } from '../own-email.ts'

/** Routes for the own e-mail address and the end of the own account, under `/api/me`. */
export const emailRoutes = new Hono<App>()
  .get('/details', signedIn('guestProfile', 'account:read'), async (c) => {
    const { details } = await readDetails(c.get('deps'), own(actorOf(c)))
    return ok(c, {
      email: details.email,
      email_verified: details.emailVerified,
      ends_at: isoTimeOrNull(details.endsAt),
    })
  })
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
