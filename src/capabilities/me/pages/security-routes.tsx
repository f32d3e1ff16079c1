import { Hono } from 'hono'
import * as v from 'valibot'
import type { App, AppContext } from '../../../web/http/context.ts'
import { validate } from '../../../web/http/input.ts'
import { readSettings } from '../../settings/copy.ts'
import { text } from '../../../core/base/text.ts'
import { readAccountAs } from '../../../core/access/read-account.ts'
import { keepCredentials } from '../../../core/access/kept-credentials.ts'
import { readRecovery } from '../../../core/access/recovery.ts'
import {
  confirmWithRecoveryCodes,
  readEnrolment,
  showSecret,
  startEnrolment,
} from '../../two-factor/enrolment.ts'
import { disableTwoFactor, renewRecoveryCodes, startMove } from '../../two-factor/manage.ts'
import { changeProfile } from '../profile.ts'
import { action, formsOf } from '../../../web/kit/action.ts'
import type { Refused } from '../../../web/kit/form.ts'
import { showForm } from '../../../web/kit/frames.tsx'
import { goToFiles, takeFilesPath } from '../../sign-in/pages/files-path.ts'
import { clearSessionToken } from '../../sign-in/pages/session-cookie.ts'
import { sessionOf } from '../../../web/http/guard.ts'
import { type DoneNotice, goTo, readView, showPage } from '../../../web/kit/view.ts'
import { EnrolmentPage } from '../../two-factor/pages/enrolment.tsx'
import { RECOVERED } from '../../two-factor/pages/new-phone-path.ts'
import { NewPhonePage } from '../../two-factor/pages/new-phone.tsx'
import { RecoveryCodesPage } from '../../two-factor/pages/recovery-codes.tsx'
import { checkPages } from './check-routes.tsx'
import { parsePassword } from './parse-password.ts'
import { showSecurity } from './show-security.tsx'
import { findRemaining, RemainingAccessPage } from './remaining-access.tsx'

const PATH = '/account/security'

const codeSchema = v.object({ code: text() })
const confirmSchema = v.object({ code: text(), secret: text() })

/** The pages for password and two-step verification, under `/account/security`. */
export const securityPages = new Hono<App>()
  .get('/', (c) => showSecurity(c))
  .route('/check', checkPages)
  .route(
    '/',
    formsOf(PATH, showSecurity, {
      password: action({
        reads: parsePassword,
        run: (c, passwords) => {
          const actor = sessionOf(c)
          return findRemaining(c, actor.userId, (others) =>
            changeProfile(c.get('deps'), actor, passwords, others),
          )
        },
        async done(c, { remaining }) {
          await clearSessionToken(c)
          if (remaining.length === 0) return goTo(c, '/account/sign-in', 'password-changed')
          const view = await readView(c)
          return showPage(c, <RemainingAccessPage view={view} remaining={remaining} />)
        },
      }),
      factor: action({
        confirms: true,
        run: () => Promise.resolve(),
        done: (c) => goToFiles(c, takeFilesPath(c) || '/account'),
      }),
      phone: action({
        page: showNewPhone,
        reads: (fields) =>
          fields[RECOVERED] === undefined ? validate(codeSchema, fields) : { code: undefined },
        confirms: true,
        run: (c, { code }) => startMove(c.get('deps'), sessionOf(c), code),
        done: (c, secret) => showEnrolment(c, secret),
      }),
      start: action({
        async run(c) {
          const { values } = await readSettings(c.get('deps'))
          const { site_title: title } = values
          const { secret } = await startEnrolment(c.get('deps'), sessionOf(c), title)
          return secret
        },
        done: (c, secret) => showEnrolment(c, secret),
      }),
      confirm: action({
        refused: (c, refused) => showEnrolment(c, refused?.fields['secret'], refused),
        reads: confirmSchema,
        confirms: true,
        run: (c, enrolment) => confirmWithRecoveryCodes(c.get('deps'), sessionOf(c), enrolment),
        done: (c, codes) => showRecoveryCodes(c, codes, 'two-factor-on'),
      }),
      codes: action({
        reads: codeSchema,
        confirms: true,
        run: (c, { code }) => renewRecoveryCodes(c.get('deps'), sessionOf(c), code),
        done: (c, codes) => showRecoveryCodes(c, codes, 'codes-renewed'),
      }),
      off: action({
        reads: codeSchema,
        confirms: true,
        run: (c, { code }) => disableTwoFactor(c.get('deps'), sessionOf(c), code),
        done: 'two-factor-off',
      }),
      keep: action({
        confirms: true,
        run: (c) => keepCredentials(c.get('deps'), sessionOf(c)),
        done: 'credentials-kept',
      }),
    }),
  )

async function showNewPhone(c: AppContext, refused?: Refused) {
  const { account, isRecovered } = await readRecovery(c.get('deps'), sessionOf(c))
  if (!account.hasTwoFactor) return goTo(c, PATH)
  const view = await readView(c, account)
  return showForm(c, NewPhonePage, { view, isRecovered }, refused)
}

async function showEnrolment(c: AppContext, secret = '', refused?: Refused) {
  const { account, isPending } = await readEnrolment(c.get('deps'), sessionOf(c))
  const view = await readView(c, account)
  const enrolment = await showSecret(view.site.title, account.username, secret)
  // It was tampered with, replaced, confirmed, or ten minutes have passed.
  if (enrolment === undefined || !isPending) return goTo(c, PATH, 'key-void')
  return showForm(c, EnrolmentPage, { view, enrolment, isMove: account.hasTwoFactor }, refused)
}

async function showRecoveryCodes(c: AppContext, codes: string[], notice: DoneNotice) {
  const account = await readAccountAs(c.get('deps'), sessionOf(c))
  const shown = await readView(c, account)
  const view = { ...shown, notice: { text: shown.t.notices[notice], isGood: true } }
  const { username } = account
  const done = takeFilesPath(c) || PATH
  return showPage(
    c,
    <RecoveryCodesPage view={view} username={username} codes={codes} done={done} />,
  )
}
