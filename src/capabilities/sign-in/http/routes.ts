import { Hono } from 'hono'
import type { App } from '../../../web/http/context.ts'
import * as v from 'valibot'
import { clientOf } from '../../../web/http/client.ts'
import { ok } from '../../../web/http/envelope.ts'
import { bearerToken } from '../../../web/http/guard.ts'
import { jsonBody } from '../../../web/http/input.ts'
import { getHasEffect } from '../../../web/http/http-methods.ts'
import { possiblyEmptyText, text } from '../../../core/base/text.ts'
import { giveSession, readMarker, sessionToken } from '../../../web/http/session-cookie.ts'
import { clearSessionToken } from '../pages/session-cookie.ts'
import { loadWithDatabase } from '../../../core/deps.ts'
import { login } from '../sign-in.ts'
import { staticDigest } from '../../../core/passwords/passwords.ts'

const loginSchema = v.object({
  username: text(),
  password: text(),
  otp_code: v.nullish(possiblyEmptyText(), ''),
})

export const loginRoutes = new Hono<App>()
  .post('/login', jsonBody(loginSchema), async (c) => {
    const { username, password, otp_code: code } = c.req.valid('json')
    const attempt = { username, digest: await staticDigest(password), code }
    const token = await login(c.get('deps'), attempt, clientOf(c))
    return ok(c, { token: await giveSession(c, token) })
  })
  .post('/login/hash', jsonBody(loginSchema), async (c) => {
    const { username, password: digest, otp_code: code } = c.req.valid('json')
    const token = await login(c.get('deps'), { username, digest, code }, clientOf(c))
    return ok(c, { token: await giveSession(c, token) })
  })
  .get('/logout', getHasEffect, async (c) => {
    const { logout } = await loadWithDatabase(() => import('../sign-out.ts'))
    const shown = bearerToken(c)
    const marker = readMarker(c, shown)
    if (marker?.isHere !== true) {
      await logout(c.get('deps'), shown, clientOf(c))
      return ok(c, null)
    }
    // The tab is older than the session: its page goes to the sign-in page, and on as the new user.
    const isOfOther = await logout(c.get('deps'), sessionToken(c), clientOf(c), marker.userId)
    if (!isOfOther) await clearSessionToken(c)
    return ok(c, null)
  })
