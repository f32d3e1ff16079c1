import { Hono } from 'hono'
import * as v from 'valibot'
import type { App } from '../http/context.ts'
import { ok } from '../http/envelope.ts'
import { guard, sessionOf } from '../http/guard.ts'
import { jsonBody } from '../http/input.ts'
import { readSettings } from '../settings/store.ts'
import { text } from '../text.ts'
import { confirmEnrolment, startEnrolment } from './enrolment.ts'

const verifySchema = v.object({ code: text(), secret: text() })

export const twoFactorRoutes = new Hono<App>()
  .post('/generate', guard, async (c) => {
    const session = sessionOf(c, 'guestTwoFactor')
    const { values } = await readSettings(c.var.deps)
    return ok(c, await startEnrolment(c.var.deps, session, values.site_title))
  })
  .post('/verify', guard, jsonBody(verifySchema), async (c) => {
    await confirmEnrolment(c.var.deps, sessionOf(c, 'guestTwoFactor'), c.req.valid('json'))
    return ok(c, null)
  })
