import { Routes } from '../http/routes.ts'
import * as v from 'valibot'
import { ok } from '../http/envelope.ts'
import { guard, sessionOf } from '../http/guard.ts'
import { jsonBody } from '../http/input.ts'
import { possiblyEmptyText } from '../text.ts'
import { readAs } from '../tokens/act-as.ts'
import type { Account } from './accounts.ts'
import { ssoIdSchema } from './fields.ts'
import { changeProfile } from './profile.ts'
import { usernameSchema } from './username.ts'

const profileSchema = v.object({
  username: usernameSchema,
  password: v.nullish(possiblyEmptyText()),
  old_password: v.nullish(possiblyEmptyText()),
  sso_id: v.nullish(ssoIdSchema),
})

export const userRoutes = new Routes()
  .get('/', guard, async (c) => {
    const caller = c.get('caller')
    const [account] =
      'guest' in caller ? [caller.guest] : await readAs(c.get('deps'), caller.session)
    return ok(c, userRecord(account))
  })
  .post('/update', guard, jsonBody(profileSchema), async (c) => {
    await changeProfile(c.get('deps'), sessionOf(c, 'guestProfile'), c.req.valid('json'))
    return ok(c, null)
  })

/** The nine fields of a user (docs/interface.md, Values); `password` is always empty. */
export function userRecord(account: Account) {
  return {
    id: account.id,
    username: account.username,
    password: '',
    base_path: account.basePath,
    role: account.role,
    disabled: account.disabled,
    permission: account.permission,
    sso_id: account.ssoId,
    otp: account.hasTwoFactor,
  }
}
