import { Hono } from 'hono'
import { createMiddleware } from 'hono/factory'
import * as v from 'valibot'
import { clientOf } from '../../../web/http/client.ts'
import type { App } from '../../../web/http/context.ts'
import { ok } from '../../../web/http/envelope.ts'
import { sessionOf, signedIn } from '../../../web/http/guard.ts'
import { jsonBody, query } from '../../../web/http/input.ts'
import { own } from '../../../core/access/subject.ts'
import { Refusal } from '../../../core/base/refusals.ts'
import { possiblyEmptyText, text } from '../../../core/base/text.ts'
import { readSettings } from '../../settings/copy.ts'
import {
  assertionSchema,
  nameSchema,
  newNameSchema,
  registrationAnswerSchema,
} from '../answer-schemas.ts'
import { beginAssertion, beginRegistration } from '../begin.ts'
import { listPasskeys, removePasskey, renamePasskey } from '../manage.ts'
import { passkeyRecord } from '../record.ts'
import { finishRegistration } from '../registration.ts'
import { giveSession } from '../../../web/http/session-cookie.ts'
import { relyingPartyIn, shownIn } from './relying-party.ts'
import { signInWithPasskey } from '../sign-in.ts'

const usernameQuery = v.object({ username: v.optional(possiblyEmptyText(), '') })
const nameQuery = v.object({ name: newNameSchema })
const idSchema = v.object({ id: text() })
const renameSchema = v.object({ id: text(), name: nameSchema })

/** Refuses everything while the setting `webauthn_login_enabled` is off. */
const whileOn = createMiddleware<App>(async function whileOn(c, next) {
  const { values } = await readSettings(c.get('deps'))
  if (values.webauthn_login_enabled !== 'true') throw new Refusal('passkeysOff')
  await next()
})

/** Routes for passkeys as OpenList's clients call them, under `/api/authn`. */
export const passkeyRoutes = new Hono<App>()
  .get('/webauthn_begin_login', whileOn, query(usernameQuery), async (c) => {
    const { username } = c.req.valid('query')
    return ok(c, await beginAssertion(c.get('deps'), relyingPartyIn(c), username))
  })
  .post(
    '/webauthn_finish_login',
    whileOn,
    jsonBody(assertionSchema, 'passkeyRefused'),
    async (c) => {
      const shown = shownIn(c, c.req.valid('json'))
      const token = await signInWithPasskey(c.get('deps'), shown, clientOf(c))
      return ok(c, { token: await giveSession(c, token) })
    },
  )
  .get(
    '/webauthn_begin_registration',
    whileOn,
    signedIn('guestPasskeys', 'session'),
    query(nameQuery),
    async (c) => {
      const deps = c.get('deps')
      const { values } = await readSettings(deps)
      const about = { name: c.req.valid('query').name, siteTitle: values.site_title }
      return ok(c, await beginRegistration(deps, sessionOf(c), relyingPartyIn(c), about))
    },
  )
  .post(
    '/webauthn_finish_registration',
    whileOn,
    signedIn('guestPasskeys', 'session'),
    jsonBody(registrationAnswerSchema, 'passkeyRefused'),
    async (c) => {
      await finishRegistration(c.get('deps'), sessionOf(c), shownIn(c, c.req.valid('json')))
      return ok(c, 'Registered Successfully')
    },
  )
  .get('/getcredentials', whileOn, signedIn('guestPasskeys', 'session'), async (c) => {
    const passkeys = await listPasskeys(c.get('deps'), own(sessionOf(c)))
    return ok(c, passkeys.map(passkeyRecord))
  })
  .post(
    '/delete_authn',
    whileOn,
    signedIn('guestPasskeys', 'session'),
    jsonBody(idSchema),
    async (c) => {
      await removePasskey(c.get('deps'), own(sessionOf(c)), c.req.valid('json').id)
      return ok(c, 'Deleted Successfully')
    },
  )
  .post(
    '/rename_authn',
    whileOn,
    signedIn('guestPasskeys', 'session'),
    jsonBody(renameSchema),
    async (c) => {
      const { id, name } = c.req.valid('json')
      await renamePasskey(c.get('deps'), sessionOf(c), id, name)
      return ok(c, 'Renamed Successfully')
    },
  )
