import { Hono } from 'hono'
import type { App } from '../http/context.ts'
import * as v from 'valibot'
import { ok } from '../http/envelope.ts'
import { actorOf, anyCaller, signedIn } from '../http/guard.ts'
import { jsonBody } from '../http/input.ts'
import { possiblyEmptyText } from '../base/text.ts'
import { readAs } from '../access/act-as.ts'
import { confirmSession } from './confirm.ts'
import { ssoIdSchema } from '../accounts/fields.ts'
import { changeProfile } from './profile.ts'
import { userRecord } from './record.ts'
import { usernameSchema } from '../accounts/username.ts'

const profileSchema = v.object({
  username: usernameSchema,
  password: v.nullish(possiblyEmptyText()),
  old_password: v.nullish(possiblyEmptyText()),
  sso_id: v.nullish(ssoIdSchema),
})

const confirmSchema = v.pipe(
  v.object({
    password: v.nullish(possiblyEmptyText(), ''),
    otp_code: v.nullish(possiblyEmptyText(), ''),
  }),
  v.check(
    ({ password, otp_code: code }) => (password === '') !== (code === ''),
    'must have either password or otp_code',
  ),
)

export const userRoutes = new Hono<App>()
  .get('/', anyCaller, async (c) => {
    const caller = c.get('caller')
    const { account } =
      'guest' in caller
        ? { account: caller.guest }
        : await readAs(c.get('deps'), caller.session, {})
    return ok(c, userRecord(account))
  })
  .post('/update', anyCaller, jsonBody(profileSchema), signedIn('guestProfile'), async (c) => {
    await changeProfile(c.get('deps'), actorOf(c), c.req.valid('json'))
    return ok(c, null)
  })
  .post('/confirm', signedIn('guestSessions'), jsonBody(confirmSchema), async (c) => {
    const { password, otp_code: code } = c.req.valid('json')
    const shown = password === '' ? { code } : { password }
    await confirmSession(c.get('deps'), actorOf(c), shown)
    return ok(c, null)
  })
