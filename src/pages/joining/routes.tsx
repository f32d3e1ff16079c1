import { Hono } from 'hono'
import * as v from 'valibot'
import { Refusal } from '../../base/refusals.ts'
import { text } from '../../base/text.ts'
import { clientOf } from '../../http/client.ts'
import type { App, AppContext } from '../../http/context.ts'
import { sessionOf } from '../../http/guard.ts'
import { validate } from '../../http/input.ts'
import { mailForgotten } from '../../joining/forgotten.ts'
import type { LiveLink } from '../../joining/link-store.ts'
import { openLink } from '../../joining/open-link.ts'
import { getOwnDetails } from '../../joining/details.ts'
import { changeOwnEmail, confirmOwnEmail, sendConfirmation } from '../../joining/own-email.ts'
import { resetPassword } from '../../joining/reset.ts'
import { getMailSite, mailSiteOf } from '../../mail/mail-site.ts'
import { readAccountAs } from '../../access/act-as.ts'
import { confirmWith } from '../confirm.tsx'
import { attempt, type Fields, problemOf, readForm } from '../form.ts'
import { languageOf } from '../language.ts'
import { isSessionOver, readSession } from '../session-cookie.ts'
import { goTo, readView, showPage } from '../view.ts'
import {
  ConfirmEmailPage,
  DeadLinkPage,
  EMAIL_PATH,
  EmailPage,
  FORGOTTEN_PATH,
  ForgottenPage,
  ResetPage,
} from './pages.tsx'

const forgottenSchema = v.object({ name: text() })
const resetSchema = v.pipe(
  v.object({ password: text(), repeat: text() }),
  v.check(({ password, repeat }) => {
    if (password !== repeat) throw new Refusal('passwordsDiffer')
    return true
  }),
)

/** The page for people who have forgotten their password, under `/account/forgotten`. */
export const forgottenPages = new Hono<App>()
  .get('/', async (c) => {
    getMailSite(c.get('deps'))
    return showPage(c, <ForgottenPage view={await readView(c)} />)
  })
  .post('/', async (c) => {
    const fields = await readForm(c)
    const refusal = await attempt(async () => {
      const { name } = validate(forgottenSchema, fields)
      await mailForgotten(c.get('deps'), name, clientOf(c), languageOf(c))
    })
    if (!(refusal instanceof Refusal)) return goTo(c, FORGOTTEN_PATH, 'reset-mailed')
    const view = await readView(c)
    const problem = problemOf(view.t, refusal)
    return showPage(c, <ForgottenPage view={view} fields={fields} problem={problem} />, refusal)
  })

/**
 * The pages of links, under `/account/link`. Opening one changes nothing. The cookie of a session
 * does not come along from a mail, so only the form looks who is signed in.
 */
export const linkPages = new Hono<App>()
  .get('/:secret', (c) => showLink(c, c.req.param('secret')))
  // A refused form leaves its path in the address bar.
  .get('/', (c) => goTo(c, '/account'))
  .post('/', async (c) => {
    const fields = await readForm(c)
    const { link: secret = '' } = fields
    const done = await attempt(async () => {
      const link = await openLink(c.get('deps'), secret)
      return link.kind === 'email' ? confirmEmail(c, secret) : reset(c, link, secret, fields)
    })
    return done instanceof Refusal ? showLink(c, secret, done) : done
  })

async function reset(c: AppContext, link: LiveLink, secret: string, fields: Fields) {
  // An invitation has a page of its own.
  if (link.kind !== 'reset') throw new Refusal('linkInvalid')
  const { password } = validate(resetSchema, fields)
  await resetPassword(c.get('deps'), secret, password, clientOf(c), languageOf(c))
  return goTo(c, '/account/sign-in', 'password-changed')
}

async function confirmEmail(c: AppContext, secret: string) {
  const session = await readSession(c).catch((error: unknown) => {
    throw needsSession(error)
  })
  await confirmOwnEmail(c.get('deps'), session, secret).catch((error: unknown) => {
    throw needsSession(error)
  })
  return goTo(c, EMAIL_PATH, 'email-confirmed')
}

/** Someone whose session is over stays on the page: the way back would name the link. */
function needsSession(error: unknown): unknown {
  return error instanceof Refusal && isSessionOver(error) ? new Refusal('linkNeedsSession') : error
}

async function showLink(c: AppContext, secret: string, refusal?: Refusal) {
  const link = await attempt(() => openLink(c.get('deps'), secret))
  const view = await readView(c)
  if (link instanceof Refusal) return showPage(c, <DeadLinkPage view={view} />, link)
  const problem = refusal && problemOf(view.t, refusal)
  const props = { view, link, secret, problem }
  if (link.kind === 'email') return showPage(c, <ConfirmEmailPage {...props} />, refusal)
  if (link.kind === 'reset') return showPage(c, <ResetPage {...props} />, refusal)
  return showPage(c, <DeadLinkPage view={view} />, new Refusal('linkInvalid'))
}

/** The page of the own e-mail address, under `/account/email`. */
export const emailPages = new Hono<App>()
  .get('/', (c) => showEmail(c))
  .post('/', async (c) => {
    const fields = await readForm(c)
    const refusal = await attempt(async () => {
      await confirmWith(c, fields)
      const { email = '' } = fields
      await changeOwnEmail(c.get('deps'), sessionOf(c), email, languageOf(c))
    })
    if (refusal instanceof Refusal) return showEmail(c, refusal, fields)
    // The mail follows by itself; whoever changes the address too often asks for it later.
    const sent = await attempt(() => sendConfirmation(c.get('deps'), sessionOf(c), languageOf(c)))
    return goTo(c, EMAIL_PATH, sent instanceof Refusal ? 'email-saved' : 'email-sent')
  })
  .post('/send', async (c) => {
    const refusal = await attempt(() =>
      sendConfirmation(c.get('deps'), sessionOf(c), languageOf(c)),
    )
    if (refusal instanceof Refusal) return showEmail(c, refusal)
    return goTo(c, EMAIL_PATH, 'email-sent')
  })
  // A refused form leaves its path in the address bar; opening it leads back to the page.
  .get('/send', (c) => goTo(c, EMAIL_PATH))

async function showEmail(c: AppContext, refusal?: Refusal, fields?: Fields) {
  const deps = c.get('deps')
  const account = await readAccountAs(deps, sessionOf(c))
  const details = await getOwnDetails(deps, sessionOf(c))
  const view = await readView(c, account)
  const problem = refusal && problemOf(view.t, refusal)
  const hasMail = mailSiteOf(deps) !== undefined
  return showPage(c, <EmailPage {...{ view, details, hasMail, fields, problem }} />, refusal)
}
