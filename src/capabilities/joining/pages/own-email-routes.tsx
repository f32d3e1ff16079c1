import { own } from '../../../core/access/subject.ts'
import { Refusal } from '../../../core/base/refusals.ts'
import type { AppContext } from '../../../web/http/context.ts'
import { sessionOf } from '../../../web/http/guard.ts'
import { action, formsOf } from '../../../web/kit/action.ts'
import { attempt, type Refused } from '../../../web/kit/form.ts'
import { showForm } from '../../../web/kit/frames.tsx'
import { languageOf } from '../../../web/kit/language.ts'
import { goTo, readView } from '../../../web/kit/view.ts'
import { mailSiteOf } from '../../mail/mail-site.ts'
import { readDetails } from '../../users/details.ts'
import { addressSchema } from '../fields.ts'
import { changeOwnEmail, sendConfirmation } from '../own-email.ts'
import { EMAIL_PATH, OwnEmailPage } from './own-email.tsx'

/** The page of the own e-mail address, under `/account/email`. */
export const emailPages = formsOf(EMAIL_PATH, showEmail, {
  '': action({
    reads: addressSchema,
    confirms: true,
    run: (c, { email }) => changeOwnEmail(c.get('deps'), sessionOf(c), email, languageOf(c)),
    async done(c) {
      // A user who changes the address too often gets no mail now, and can ask for it later.
      const sent = await attempt(() => sendMail(c))
      return goTo(c, EMAIL_PATH, sent instanceof Refusal ? 'email-saved' : 'email-sent')
    },
  }),
  send: action({ run: sendMail, done: 'email-sent' }),
}).get('/', (c) => showEmail(c))

function sendMail(c: AppContext) {
  return sendConfirmation(c.get('deps'), sessionOf(c), languageOf(c))
}

async function showEmail(c: AppContext, refused?: Refused) {
  const deps = c.get('deps')
  const { account, details } = await readDetails(deps, own(sessionOf(c)))
  const view = await readView(c, account)
  const hasMail = mailSiteOf(deps) !== undefined
  return showForm(c, OwnEmailPage, { view, details, hasMail }, refused)
}
