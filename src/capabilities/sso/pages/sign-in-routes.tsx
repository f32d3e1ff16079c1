import { Hono } from 'hono'
import * as v from 'valibot'
import { clientOf } from '../../../web/http/client.ts'
import type { App, AppContext } from '../../../web/http/context.ts'
import { validate } from '../../../web/http/input.ts'
import { logError } from '../../../core/database/log.ts'
import { getHasEffect } from '../../../web/http/http-methods.ts'
import { relyingPartyOf } from '../../../core/base/passkey-site.ts'
import { Refusal, refusalIn } from '../../../core/base/refusals.ts'
import { possiblyEmptyText, text } from '../../../core/base/text.ts'
import { signInWithPasskey } from '../../passkeys/sign-in.ts'
import { staticDigest } from '../../../core/passwords/passwords.ts'
import { signInAndLink } from '../manage.ts'
import { findUserOf, signInWithCode } from '../sign-in.ts'
import { needsCode } from '../../two-factor/needs-code.ts'
import { attempt, type Fields, problemOf, readForm, type Refused } from '../../../web/kit/form.ts'
import { showForm } from '../../../web/kit/frames.tsx'
import { beginOnPage } from '../../passkeys/pages/begin-on-page.ts'
import { readAssertion } from '../../passkeys/pages/passkey.ts'
import { parseNext, signInPath } from '../../sign-in/pages/next.ts'
import { sessionToken } from '../../../web/http/session-cookie.ts'
import { backTo, goTo, readView, showPage } from '../../../web/kit/view.ts'
import { giveToken, showFailedSso } from './answers.tsx'
import { goToProvider } from '../http/go-to-provider.ts'
import { type Step, stepCookie } from './step.ts'
import { FactorPage, LinkPage } from './step-pages.tsx'

const codeSchema = v.object({ code: v.optional(possiblyEmptyText(), '') })
const linkSchema = v.object({
  username: text(),
  password: text(),
  code: v.optional(possiblyEmptyText(), ''),
})

/** The pages of a sign-in with an identity provider, under `/account/sign-in/sso`. */
export const ssoSignInPages = new Hono<App>()
  .get('/', getHasEffect, async (c) => {
    const next = parseNext(c, c.req.query())
    if (sessionToken(c) !== '' || !isFromHere(c)) return goTo(c, signInPath(next))
    try {
      return c.redirect((await goToProvider(c, { kind: 'sign-in', next })).href)
    } catch (error) {
      const refusal = refusalIn(error)
      if (refusal.code >= 500) logError(error, { id: c.get('requestId'), path: c.req.path })
      return showFailedSso(c, refusal)
    }
  })
  .get('/step', async (c) => {
    const step = await stepCookie.read(c)
    if (step === undefined) return startOver(c)
    return step.missing === 'link' ? showLink(c, step) : showFactor(c, step)
  })
  .post(
    '/code',
    signingIn('factor', showFactor, (c, { identity }, fields) =>
      signInWithCode(c.get('deps'), identity, validate(codeSchema, fields).code, clientOf(c)),
    ),
  )
  .post(
    '/passkey',
    // The ceremony began for the user of the identity, so another user's passkey is refused.
    signingIn('factor', showFactor, async (c, _, fields) =>
      signInWithPasskey(c.get('deps'), readAssertion(c, fields, 'passkeyRefused'), clientOf(c)),
    ),
  )
  .post('/link', signingIn('link', showLink, linkStep))
  .get('/:form', backTo('/account/sign-in/sso/step'))

/**
 * Tells whether a page of this site, or the visitor, has begun the sign-in. Another site could
 * otherwise sign its visitors in as somebody else at the provider. Over plain http, browsers tell
 * nothing.
 *
 * @see https://www.w3.org/TR/fetch-metadata/
 */
function isFromHere(c: AppContext): boolean {
  return ['same-origin', 'none', undefined].includes(c.req.header('Sec-Fetch-Site'))
}

/** Makes the answer to a form that ends the sign-in. */
function signingIn(
  missing: Step['missing'],
  show: (c: AppContext, step: Step, refused: Refused) => Response | Promise<Response>,
  signIn: (c: AppContext, step: Step, fields: Fields) => Promise<string>,
) {
  return async (c: AppContext) => {
    const fields = await readForm(c)
    const step = await stepCookie.read(c)
    if (step?.missing !== missing) return startOver(c)
    const token = await attempt(() => signIn(c, step, fields))
    if (token instanceof Refusal) return show(c, step, { form: missing, fields, refusal: token })
    stepCookie.clear(c)
    return giveToken(c, token, step)
  }
}

/** Signs in with the password, and the code if the user has one, and links the identity. */
async function linkStep(c: AppContext, { identity }: Step, fields: Fields): Promise<string> {
  const { username, password, code } = validate(linkSchema, fields)
  const shown = { username, digest: await staticDigest(password), code }
  return signInAndLink(c.get('deps'), shown, identity, clientOf(c))
}

function startOver(c: AppContext) {
  return goTo(c, signInPath(''), 'session-over')
}

async function showFactor(c: AppContext, step: Step, refused?: Refused) {
  const deps = c.get('deps')
  const user = await findUserOf(deps, step.identity)
  // The identity was unlinked meanwhile.
  if (user === undefined) return startOver(c)
  const view = await readView(c)
  const relyingParty = relyingPartyOf(c.req.url, deps.passkeySite())
  const ceremony =
    user.hasPasskey && relyingParty
      ? await beginOnPage(deps, relyingParty, user.username)
      : undefined
  const shown = { username: user.username, hasCode: needsCode(user) }
  return showForm(c, FactorPage, { view, step, ceremony, user: shown }, refused)
}

async function showLink(c: AppContext, step: Step, refused?: Refused) {
  const view = await readView(c)
  const { fields, refusal } = refused ?? {}
  const isCodeMissing = refusal?.refusal === 'wrongCode'
  const isFirst = isCodeMissing && (fields?.['code'] ?? '') === ''
  const problem = refusal && !isFirst ? problemOf(view.t, refusal) : undefined
  const props = { view, step, fields, needsCode: isCodeMissing, problem }
  return showPage(c, <LinkPage {...props} />, refusal)
}
