import { Hono } from 'hono'
import * as v from 'valibot'
import type { App, AppContext } from '../../../web/http/context.ts'
import { validate } from '../../../web/http/input.ts'
import { Refusal } from '../../../core/base/refusals.ts'
import { readSettings } from '../../settings/store.ts'
import { possiblyEmptyText, text } from '../../../core/base/text.ts'
import { readAccountAs } from '../../../core/access/act-as.ts'
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
import { isNothing } from '../remaining-access.ts'
import { confirmWith } from '../../../web/kit/confirm.tsx'
import { attempt, readForm } from '../../../web/kit/form.ts'
import { showForm } from '../../../web/kit/frames.tsx'
import { goToFiles, takeFilesPath } from '../../sign-in/pages/files-path.ts'
import { clearSessionToken } from '../../sign-in/pages/session-cookie.ts'
import { sessionOf } from '../../../web/http/guard.ts'
import { backTo, goTo, readView, showPage } from '../../../web/kit/view.ts'
import { EnrolmentPage } from '../../two-factor/pages/enrolment.tsx'
import { NewPhonePage, RECOVERED } from '../../two-factor/pages/new-phone.tsx'
import { RecoveryCodesPage } from '../../two-factor/pages/recovery-codes.tsx'
import { identityPages } from '../../sso/pages/identity-routes.tsx'
import { passkeyPages } from '../../passkeys/pages/passkey-routes.tsx'
import { showSecurity } from './show-security.tsx'
import { RemainingAccessPage } from './remaining-access.tsx'

const PATH = '/account/security'

const codeSchema = v.object({ code: text() })
const passwordSchema = v.object({
  old_password: text(),
  password: text(),
  repeat: possiblyEmptyText(),
})

const confirmSchema = v.object({ code: text(), secret: text() })

/** The pages for password, passkeys and two-step verification, under `/account/security`. */
export const securityPages = new Hono<App>()
  .get('/', (c) => showSecurity(c))
  .post('/password', async (c) => {
    const fields = await readForm(c)
    const remaining = await attempt(async () => {
      const { repeat, ...passwords } = validate(passwordSchema, fields)
      if (passwords.password !== repeat) throw new Refusal('passwordsDiffer')
      return changeProfile(c.get('deps'), sessionOf(c), passwords)
    })
    if (remaining instanceof Refusal)
      return showSecurity(c, { form: 'password', fields, refusal: remaining })
    await clearSessionToken(c)
    if (isNothing(remaining)) return goTo(c, '/account/sign-in', 'password-changed')
    return showPage(c, <RemainingAccessPage view={await readView(c)} remaining={remaining} />)
  })
  .post('/factor', async (c) => {
    const fields = await readForm(c)
    const refusal = await attempt(() => confirmWith(c, fields))
    if (refusal instanceof Refusal) return showSecurity(c, { form: 'factor', fields, refusal })
    return goToFiles(c, takeFilesPath(c) || '/account')
  })
  .route('/passkeys', passkeyPages)
  .route('/identities', identityPages)
  .get('/phone', (c) => showNewPhone(c))
  .post('/phone', async (c) => {
    const deps = c.get('deps')
    const fields = await readForm(c)
    const isRecovered = fields[RECOVERED] !== undefined
    const secret = await attempt(async () => {
      const code = isRecovered ? undefined : validate(codeSchema, fields).code
      await confirmWith(c, fields)
      return startMove(deps, sessionOf(c), code)
    })
    if (secret instanceof Refusal) return showNewPhone(c, secret)
    return showEnrolment(c, secret)
  })
  .post('/start', async (c) => {
    const deps = c.get('deps')
    const { values } = await readSettings(deps)
    const enrolment = await attempt(() => startEnrolment(deps, sessionOf(c), values.site_title))
    if (enrolment instanceof Refusal)
      return showSecurity(c, { form: 'start', fields: {}, refusal: enrolment })
    return showEnrolment(c, enrolment.secret)
  })
  .post('/confirm', async (c) => {
    const fields = await readForm(c)
    const codes = await attempt(async () => {
      const enrolment = validate(confirmSchema, fields)
      await confirmWith(c, fields)
      return confirmWithRecoveryCodes(c.get('deps'), sessionOf(c), enrolment)
    })
    if (codes instanceof Refusal) return showEnrolment(c, fields['secret'] ?? '', codes)
    return showRecoveryCodes(c, codes)
  })
  .post('/codes', async (c) => {
    const fields = await readForm(c)
    const codes = await attempt(async () => {
      const { code } = validate(codeSchema, fields)
      await confirmWith(c, fields)
      return renewRecoveryCodes(c.get('deps'), sessionOf(c), code)
    })
    if (codes instanceof Refusal) return showSecurity(c, { form: 'codes', fields, refusal: codes })
    return showRecoveryCodes(c, codes)
  })
  .post('/off', async (c) => {
    const fields = await readForm(c)
    const refusal = await attempt(async () => {
      const { code } = validate(codeSchema, fields)
      await confirmWith(c, fields)
      await disableTwoFactor(c.get('deps'), sessionOf(c), code)
    })
    if (refusal instanceof Refusal) return showSecurity(c, { form: 'off', fields, refusal })
    return goTo(c, PATH, 'two-factor-off')
  })
  .post('/keep', async (c) => {
    const fields = await readForm(c)
    const refusal = await attempt(async () => {
      await confirmWith(c, fields)
      await keepCredentials(c.get('deps'), sessionOf(c))
    })
    if (refusal instanceof Refusal) return showSecurity(c, { form: 'keep', fields, refusal })
    return goTo(c, PATH, 'credentials-kept')
  })
  .get('/:form', backTo(PATH))

async function showNewPhone(c: AppContext, refusal?: Refusal) {
  const { account, isRecovered } = await readRecovery(c.get('deps'), sessionOf(c))
  if (!account.hasTwoFactor) return goTo(c, PATH)
  const view = await readView(c, account)
  return showForm(c, NewPhonePage, { view, isRecovered }, refusal)
}

async function showEnrolment(c: AppContext, secret: string, refusal?: Refusal) {
  const { account, isPending } = await readEnrolment(c.get('deps'), sessionOf(c))
  const view = await readView(c, account)
  const enrolment = await showSecret(view.site.title, account.username, secret)
  // It was tampered with, replaced, confirmed, or ten minutes have passed.
  if (enrolment === undefined || !isPending) return goTo(c, PATH, 'key-void')
  return showForm(c, EnrolmentPage, { view, enrolment, isMove: account.hasTwoFactor }, refusal)
}

async function showRecoveryCodes(c: AppContext, codes: string[]) {
  const account = await readAccountAs(c.get('deps'), sessionOf(c))
  const view = await readView(c, account)
  const { username } = account
  const done = takeFilesPath(c) || PATH
  return showPage(
    c,
    <RecoveryCodesPage view={view} username={username} codes={codes} done={done} />,
  )
}
