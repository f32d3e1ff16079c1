import { Hono } from 'hono'
import { createMiddleware } from 'hono/factory'
import { readAccountAs } from '../../../core/access/read-account.ts'
import { isSessionActor, type SessionActor } from '../../../core/access/actor.ts'
import { verifyToken } from '../../../core/access/token.ts'
import { Refusal, refusalIn } from '../../../core/base/refusals.ts'
import { logError } from '../../../core/database/log.ts'
import { clientOf } from '../../../web/http/client.ts'
import type { App, AppContext } from '../../../web/http/context.ts'
import { validate } from '../../../web/http/input.ts'
import { openLink } from '../open-link.ts'
import { confirmOwnEmail } from '../own-email.ts'
import { forgottenSchema, registrationSchema, resetSchema } from '../fields.ts'
import { mailForgotten } from '../forgotten.ts'
import { type OpenRegistration, readOpenRegistration, register } from '../register.ts'
import { resetPassword } from '../reset.ts'
import type { LinkKind } from '../links.ts'
import { getMailSite } from '../../mail/mail-site.ts'
import { staticDigest } from '../../../core/passwords/passwords.ts'
import { login } from '../../sign-in/sign-in.ts'
import {
  attempt,
  type Fields,
  readForm,
  type Refused,
  refuseOtherRepeat,
} from '../../../web/kit/form.ts'
import { showForm } from '../../../web/kit/frames.tsx'
import { policyWithTurnstile } from '../../../web/kit/headers.ts'
import { languageOf } from '../../../web/kit/language.ts'
import { isSessionOver } from '../../../web/kit/session-over.ts'
import { sessionToken, setSessionToken } from '../../../web/http/session-cookie.ts'
import { goTo, readView, showPage } from '../../../web/kit/view.ts'
import { DonePage, EmailPage, ForgottenPage, RegistrationPage, ResetPage } from './pages.tsx'

/**
 * No search engine lists a link, and no other site learns it. `no-referrer` would make browsers
 * send `Origin: null` with the form, which `sameOrigin` refuses.
 */
const linkHeaders = createMiddleware<App>(async function linkHeaders(c, next) {
  await next()
  c.header('X-Robots-Tag', 'noindex')
  c.header('Referrer-Policy', 'strict-origin')
  c.header('Cache-Control', 'no-store')
})

/**
 * Pages of people who have no session, under `/account`. A GET changes nothing: mail scanners open
 * links.
 */
export const joiningPages = new Hono<App>()
  .use('/link', linkHeaders)
  .use('/link/*', linkHeaders)
  .get('/link/:secret', (c) => showLink(c, c.req.param('secret')))
  .post('/link', async (c) => {
    const fields = await readForm(c)
    const { link: secret = '' } = fields
    const { kind } = await openLink(c.get('deps'), secret)
    const answer = await attempt(() => LINK_FORMS[kind](c, fields, secret))
    if (!(answer instanceof Refusal)) return answer
    return showLink(c, secret, { form: 'link', fields, refusal: answer })
  })
  .get('/register', async (c) => showRegistration(c, await readOpenRegistration(c.get('deps'))))
  .post('/register', async (c) => {
    const fields = await readForm(c)
    const open = await readOpenRegistration(c.get('deps'))
    const turnstile = fields['cf-turnstile-response'] ?? ''
    const result = await attempt(() => registerWith(c, fields, { turnstile }, open)).catch(
      (error: unknown) => shownWithForm(c, error),
    )
    if (!(result instanceof Refusal)) return result
    return showRegistration(c, open, { form: 'register', fields, refusal: result })
  })
  .get('/forgotten', (c) => {
    getMailSite(c.get('deps'))
    return showForgotten(c)
  })
  .post('/forgotten', async (c) => {
    const fields = await readForm(c)
    const refusal = await attempt(async () => {
      const { name } = validate(forgottenSchema, fields)
      await mailForgotten(c.get('deps'), name, clientOf(c), languageOf(c))
    })
    if (refusal instanceof Refusal) return showForgotten(c, { form: 'forgotten', fields, refusal })
    return showDone(c, 'forgotten')
  })

async function showLink(c: AppContext, secret: string, refused?: Refused) {
  const link = await openLink(c.get('deps'), secret)
  const props = { view: await readView(c), link: secret }
  if (link.kind === 'invitation')
    return showForm(
      c,
      RegistrationPage,
      { ...props, fixedName: link.username, inviter: link.creatorName },
      refused,
    )
  if (link.kind === 'reset')
    return showForm(c, ResetPage, { ...props, username: link.ownerName }, refused)
  return showForm(c, EmailPage, { ...props, address: link.email }, refused)
}

async function showForgotten(c: AppContext, refused?: Refused) {
  return showForm(c, ForgottenPage, { view: await readView(c) }, refused)
}

/** The pages that say what was done: their look and texts. */
const DONE = {
  forgotten: { icon: 'mail', tone: 'blue', title: 'forgottenDone', lead: 'forgottenDoneLead' },
  reset: { icon: 'done', tone: 'green', title: 'resetDone', lead: 'resetDoneLead' },
  waiting: { icon: 'activity', tone: 'amber', title: 'waitingTitle', lead: 'waitingLead' },
} as const

/** Says what was done, and leads to the sign-in. */
async function showDone(c: AppContext, what: keyof typeof DONE) {
  const view = await readView(c)
  const t = view.t.joining
  const { icon, tone, title, lead } = DONE[what]
  const texts = { title: t[title], lead: t[lead], words: view.t.toSignIn }
  return showPage(c, <DonePage {...{ view, icon, tone, ...texts }} next="/account/sign-in" />)
}

type LinkForm = (c: AppContext, fields: Fields, secret: string) => Promise<Response>

/** Answer the form of a link, by what the link is for. */
const LINK_FORMS: Record<LinkKind, LinkForm> = {
  invitation: (c, fields, invitation) => registerWith(c, fields, { invitation }),
  reset: setPassword,
  email: confirmEmail,
}

/** Registers a visitor, and signs a new user in who need not wait. */
async function registerWith(
  c: AppContext,
  fields: Fields,
  proof: { invitation: string } | { turnstile: string },
  open?: OpenRegistration,
) {
  const { username = '', password = '' } = fields
  const request = validate(registrationSchema, { username, password, ...proof })
  refuseOtherRepeat(fields)
  const deps = c.get('deps')
  const registered = await register(deps, request, clientOf(c), open)
  if (registered.isWaiting) return showDone(c, 'waiting')
  const digest = await staticDigest(password)
  const credentials = { username: registered.username, digest, code: '' }
  const token = await attempt(() => login(deps, credentials, clientOf(c)))
  // Failed sign-ins of others in this network. The account is made, so the form must not come again.
  if (token instanceof Refusal) return goTo(c, '/account/sign-in', 'account-made')
  await setSessionToken(c, token)
  return goTo(c, '/account/welcome')
}

/** Lets a visitor try again with what was typed, while Turnstile does not answer. */
function shownWithForm(c: AppContext, error: unknown): Refusal {
  const refusal = refusalIn(error)
  if (refusal.refusal !== 'humanCheckUnavailable') throw error
  logError(error, { id: c.get('requestId'), path: c.req.path })
  return refusal
}

async function showRegistration(
  c: AppContext,
  { turnstile_site_key: siteKey }: OpenRegistration,
  refused?: Refused,
) {
  const view = await readView(c)
  if (siteKey !== '') c.header('Content-Security-Policy', policyWithTurnstile())
  return showForm(c, RegistrationPage, { view, siteKey }, refused)
}

async function setPassword(c: AppContext, fields: Fields, secret: string) {
  const request = validate(resetSchema, { ...fields, link: secret })
  refuseOtherRepeat(fields)
  await resetPassword(c.get('deps'), request.link, request.password, clientOf(c), languageOf(c))
  return showDone(c, 'reset')
}

/**
 * Confirms an address in the session of this browser, which the form has and the mail's link has
 * not.
 */
async function confirmEmail(c: AppContext, _: Fields, secret: string) {
  await confirmOwnEmail(c.get('deps'), await sessionHere(c), secret)
  const view = await readView(c)
  const t = view.t.joining
  const look = { icon: 'done', tone: 'green', title: t.emailDone, lead: '' } as const
  const next = { next: '/account/security', words: t.toAccount }
  return showPage(c, <DonePage {...{ view, ...look, ...next }} />)
}

/** @throws {Refusal} `linkNeedsSession`. */
async function sessionHere(c: AppContext): Promise<SessionActor> {
  const deps = c.get('deps')
  const token = sessionToken(c)
  try {
    const claims = await verifyToken(await deps.keyRing(), token, deps.now())
    const actor = { ...claims, ...clientOf(c) }
    await readAccountAs(deps, actor)
    if (isSessionActor(actor)) return actor
  } catch (error) {
    if (!(error instanceof Refusal) || !isSessionOver(error)) throw error
  }
  throw new Refusal('linkNeedsSession')
}
