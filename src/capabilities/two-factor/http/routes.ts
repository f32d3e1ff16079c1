import { Hono } from 'hono'
import type { App } from '../../../web/http/context.ts'
import * as v from 'valibot'
import { ok } from '../../../web/http/envelope.ts'
import { anyCaller, sessionOf, signedIn } from '../../../web/http/guard.ts'
import { jsonBody } from '../../../web/http/input.ts'
import { readSettings } from '../../settings/copy.ts'
import { text } from '../../../core/base/text.ts'
import { confirmEnrolment, startEnrolment } from '../enrolment.ts'
import { disableTwoFactor, renewRecoveryCodes } from '../manage.ts'

const verifySchema = v.object({ code: text(), secret: text() })
const codeSchema = v.object({ otp_code: text() })

/** `verify`, `recovery_codes` and `disable` refuse bad input before the guest, like OpenList. */
export const twoFactorRoutes = new Hono<App>()
  .post('/generate', signedIn('guestTwoFactor', 'session'), async (c) => {
    const session = sessionOf(c)
    const { values } = await readSettings(c.get('deps'))
    const { qr, secret } = await startEnrolment(c.get('deps'), session, values.site_title)
    return ok(c, { qr, secret })
  })
  .post(
    '/verify',
    anyCaller('session'),
    jsonBody(verifySchema),
    signedIn('guestTwoFactor', 'session'),
    async (c) => {
      await confirmEnrolment(c.get('deps'), sessionOf(c), c.req.valid('json'))
      return ok(c, null)
    },
  )
  .post(
    '/recovery_codes',
    anyCaller('session'),
    jsonBody(codeSchema),
    signedIn('guestTwoFactor', 'session'),
    async (c) => {
      const { otp_code: code } = c.req.valid('json')
      const codes = await renewRecoveryCodes(c.get('deps'), sessionOf(c), code)
      return ok(c, { recovery_codes: codes })
    },
  )
  .post(
    '/disable',
    anyCaller('session'),
    jsonBody(codeSchema),
    signedIn('guestTwoFactor', 'session'),
    async (c) => {
      const { otp_code: code } = c.req.valid('json')
      await disableTwoFactor(c.get('deps'), sessionOf(c), code)
      return ok(c, null)
    },
  )
