import { Hono } from 'hono'
import type { App } from '../http/context.ts'
import * as v from 'valibot'
import { ok } from '../http/envelope.ts'
import { guard, sessionOf } from '../http/guard.ts'
import { jsonBody } from '../http/input.ts'
import { readSettings } from '../settings/store.ts'
import { text } from '../base/text.ts'
import { confirmEnrolment, startEnrolment } from './enrolment.ts'
import { disableTwoFactor, renewRecoveryCodes } from './manage.ts'

const verifySchema = v.object({ code: text(), secret: text() })
const proofSchema = v.object({ otp_code: text() })

export const twoFactorRoutes = new Hono<App>()
  .post('/generate', guard, async (c) => {
    const session = sessionOf(c, 'guestTwoFactor')
    const { values } = await readSettings(c.get('deps'))
    return ok(c, await startEnrolment(c.get('deps'), session, values.site_title))
  })
  .post('/verify', guard, jsonBody(verifySchema), async (c) => {
    await confirmEnrolment(c.get('deps'), sessionOf(c, 'guestTwoFactor'), c.req.valid('json'))
    return ok(c, null)
  })
  .post('/recovery_codes', guard, jsonBody(proofSchema), async (c) => {
    const { otp_code: code } = c.req.valid('json')
    const codes = await renewRecoveryCodes(c.get('deps'), sessionOf(c, 'guestTwoFactor'), code)
    return ok(c, { recovery_codes: codes })
  })
  .post('/disable', guard, jsonBody(proofSchema), async (c) => {
    const { otp_code: code } = c.req.valid('json')
    await disableTwoFactor(c.get('deps'), sessionOf(c, 'guestTwoFactor'), code)
    return ok(c, null)
  })
