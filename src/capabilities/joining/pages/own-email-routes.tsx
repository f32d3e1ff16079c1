import { Hono } from 'hono'
import { Refusal } from '../../../core/base/refusals.ts'
import type { App, AppContext } from '../../../web/http/context.ts'
import { sessionOf } from '../../../web/http/guard.ts'
import { validate } from '../../../web/http/input.ts'
import { addressSchema } from '../fields.ts'
import { readOwnDetails } from '../details.ts'
import { changeOwnEmail, sendConfirmation } from '../own-email.ts'
import { mailSiteOf } from '../../mail/mail-site.ts'
import { confirmWith } from '../../../web/kit/confirm.tsx'
import { attempt, type Fields, readForm } from '../../../web/kit/form.ts'
import { showForm } from '../../../web/kit/frames.tsx'
import { languageOf } from '../../../web/kit/language.ts'
import { backTo, goTo, readView } from '../../../web/kit/view.ts'
import { EMAIL_PATH, OwnEmailPage } from './own-email.tsx'

/** The page of the own e-mail address, under `/account/email`. */
export const emailPages = new Hono<App>()
  .get('/', (c) => showEmail(c))
  .post('/', async (c) => {
    const fields = await readForm(c)
    const refusal = await attempt(async () => {
      const { email } = validate(addressSchema, fields)
      await confirmWith(c, fields)
      await changeOwnEmail(c.get('deps'), sessionOf(c), email, languageOf(c))
    })
    if (refusal instanceof Refusal) return showEmail(c, refusal, fields)
    // A user who changes the address too often gets no mail now, and can ask for it later.
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
  .get('/send', backTo(EMAIL_PATH))

async function showEmail(c: AppContext, refusal?: Refusal, fields?: Fields) {
  const deps = c.get('deps')
  const { account, details } = await readOwnDetails(deps, sessionOf(c))
  const view = await readView(c, account)
  const hasMail = mailSiteOf(deps) !== undefined
  return showForm(c, OwnEmailPage, { view, details, hasMail, fields }, refusal)
}
