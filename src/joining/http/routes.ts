import { Hono } from 'hono'
import { createMiddleware } from 'hono/factory'
import { clientOf } from '../../http/client.ts'
import type { App } from '../../http/context.ts'
import { ok } from '../../http/envelope.ts'
import { actorOf, sessionOf, signedIn } from '../../http/guard.ts'
import { jsonBody } from '../../http/input.ts'
import { confirmAddress, sendConfirmation, setOwnAddress } from '../addresses.ts'
import { getOwnDetails } from '../details.ts'
import {
  addressSchema,
  forgottenSchema,
  linkSchema,
  registrationSchema,
  resetSchema,
} from '../fields.ts'
import { requestReset } from '../forgotten.ts'
import { ownDetailsRecord } from '../record.ts'
import { refuseClosedRegistration, register } from '../register.ts'
import { resetPassword } from '../resets.ts'
import { mailLanguageOf } from './language.ts'

/**
 * Refuses a registration without an invitation before its fields are read, while the site takes
 * none.
 */
const refuseWhileClosed = createMiddleware<App>(async function refuseWhileClosed(c, next) {
  const body: unknown = await c.req.json().catch(() => undefined)
  const isInvited =
    typeof body === 'object' && body !== null && 'invitation' in body && Boolean(body.invitation)
  if (!isInvited) await refuseClosedRegistration(c.get('deps'))
  await next()
})

/** Routes under `/api/auth` that need no session. */
export const joiningRoutes = new Hono<App>()
  .post('/register', refuseWhileClosed, jsonBody(registrationSchema), async (c) => {
    await register(c.get('deps'), c.req.valid('json'), clientOf(c))
    return ok(c, null)
  })
  .post('/forgotten', jsonBody(forgottenSchema), async (c) => {
    const { name } = c.req.valid('json')
    await requestReset(c.get('deps'), name, mailLanguageOf(c), clientOf(c))
    return ok(c, null)
  })
  .post('/reset', jsonBody(resetSchema), async (c) => {
    await resetPassword(c.get('deps'), c.req.valid('json'), mailLanguageOf(c), clientOf(c))
    return ok(c, null)
  })

/** Routes for the user's own account, under `/api/me`. */
export const ownDetailsRoutes = new Hono<App>()
  .get('/details', signedIn('guestProfile', 'account:read'), async (c) =>
    ok(c, ownDetailsRecord(await getOwnDetails(c.get('deps'), actorOf(c)))),
  )
  .post('/email', signedIn('guestProfile', 'session'), jsonBody(addressSchema), async (c) => {
    const { email } = c.req.valid('json')
    await setOwnAddress(c.get('deps'), sessionOf(c), email, mailLanguageOf(c))
    return ok(c, null)
  })
  .post('/email/send', signedIn('guestProfile', 'session'), async (c) => {
    await sendConfirmation(c.get('deps'), sessionOf(c), mailLanguageOf(c))
    return ok(c, null)
  })
  .post('/email/confirm', signedIn('guestProfile', 'session'), jsonBody(linkSchema), async (c) => {
    await confirmAddress(c.get('deps'), sessionOf(c), c.req.valid('json').link)
    return ok(c, null)
  })
