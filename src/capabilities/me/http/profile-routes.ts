import { Hono } from 'hono'
import type { App, AppContext } from '../../../web/http/context.ts'
import * as v from 'valibot'
import { ok } from '../../../web/http/envelope.ts'
import { actorOf, anyCaller, sessionOf, signedIn } from '../../../web/http/guard.ts'
import { jsonBody } from '../../../web/http/input.ts'
import { possiblyEmptyText } from '../../../core/base/text.ts'
import { isoTimeOrNull } from '../../../core/base/time.ts'
import { own } from '../../../core/access/subject.ts'
import { readDetails } from '../../users/details.ts'
import { keepCredentials } from '../../../core/access/kept-credentials.ts'
import { assertionSchema } from '../../passkeys/answer-schemas.ts'
import { shownIn } from '../../passkeys/http/relying-party.ts'
import { type Confirmation, confirmSession } from '../confirm.ts'
import { ssoIdSchema } from '../../../core/accounts/fields.ts'
import { changeProfile } from '../profile.ts'
import { loadPart } from '../../../core/base/load-part.ts'
import { usernameSchema } from '../../../core/accounts/username.ts'

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
    /** The answer of `navigator.credentials.get` in a ceremony of `/api/authn/webauthn_begin_login`. */
    assertion: v.nullish(assertionSchema),
  }),
  v.check(
    ({ password, otp_code: code, assertion }) =>
      [password !== '', code !== '', Boolean(assertion)].filter(Boolean).length === 1,
    'must have one of password, otp_code and assertion',
  ),
)

/** Details and changes of one’s own account, below `/api/me`. */
export const profileRoutes = new Hono<App>()
  .get('/details', signedIn('guestProfile', 'account:read'), async (c) => {
    const { details } = await readDetails(c.get('deps'), own(actorOf(c)))
    return ok(c, {
      email: details.email,
      email_verified: details.emailVerified,
      ends_at: isoTimeOrNull(details.endsAt),
    })
  })
  .post(
    '/update',
    anyCaller('session'),
    jsonBody(profileSchema),
    signedIn('guestProfile', 'session'),
    async (c) => {
      const request = c.req.valid('json')
      const proven = request.sso_id ? await provenIdentityIn(c) : undefined
      const provenIdentity = await proven?.read(c)
      await changeProfile(c.get('deps'), sessionOf(c), { ...request, provenIdentity })
      if (provenIdentity?.subject === request.sso_id) proven?.clear(c)
      return ok(c, null)
    },
  )
  .post('/confirm', signedIn('guestSessions', 'session'), jsonBody(confirmSchema), async (c) => {
    await confirmSession(c.get('deps'), sessionOf(c), confirmationIn(c, c.req.valid('json')))
    return ok(c, null)
  })
  .post('/credentials/keep', signedIn('guestTokens', 'session'), async (c) => {
    const { appPasswords, keys } = await keepCredentials(c.get('deps'), sessionOf(c))
    return ok(c, { app_passwords: appPasswords, ssh_keys: keys })
  })

/** Finds who remembers an identity that the user of this browser has just proven. */
async function provenIdentityIn(c: AppContext) {
  const load = c.get('capabilities').find(({ provenIdentity }) => provenIdentity)?.provenIdentity
  return load && loadPart(load)
}

function confirmationIn(
  c: AppContext,
  { password, otp_code: code, assertion }: v.InferOutput<typeof confirmSchema>,
): Confirmation {
  if (!assertion) return password === '' ? { code } : { password }
  return { passkey: shownIn(c, assertion) }
}
