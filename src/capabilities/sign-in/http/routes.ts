import { Hono } from 'hono'
import type { App } from '../../../web/http/context.ts'
import * as v from 'valibot'
import { clientOf } from '../../../web/http/client.ts'
import { ok } from '../../../web/http/envelope.ts'
import { bearerToken } from '../../../web/http/guard.ts'
import { jsonBody } from '../../../web/http/input.ts'
import { getHasEffect } from '../../../web/http/http-methods.ts'
import { possiblyEmptyText, text } from '../../../core/base/text.ts'
import { login } from '../sign-in.ts'
import { logout } from '../sign-out.ts'
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
    return ok(c, { token: await login(c.get('deps'), attempt, clientOf(c)) })
  })
  .post('/login/hash', jsonBody(loginSchema), async (c) => {
    const { username, password: digest, otp_code: code } = c.req.valid('json')
    return ok(c, {
      token: await login(c.get('deps'), { username, digest, code }, clientOf(c)),
    })
  })
  .get('/logout', getHasEffect, async (c) => {
    await logout(c.get('deps'), bearerToken(c), clientOf(c))
    return ok(c, null)
  })
