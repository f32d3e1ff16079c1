import { Hono } from 'hono'
import * as v from 'valibot'
import type { App, AppContext } from '../../../web/http/context.ts'
import { sessionOf } from '../../../web/http/guard.ts'
import { validate, validateJson } from '../../../web/http/input.ts'
import { Refusal } from '../../../core/base/refusals.ts'
import { text } from '../../../core/base/text.ts'
import { readAccountAs } from '../../../core/access/act-as.ts'
import { own } from '../../../core/access/subject.ts'
import { toEnrol } from '../../../core/access/sign-in-methods.ts'
import { nameSchema, newNameSchema, registrationAnswerSchema } from '../answer-schemas.ts'
import { beginRegistration } from '../begin.ts'
import { removePasskey, renamePasskey } from '../manage.ts'
import { finishRegistration } from '../registration.ts'
import { relyingPartyIn, shownIn } from '../http/relying-party.ts'
import { readSettings } from '../../settings/store.ts'
import { confirmWith } from '../../../web/kit/confirm.tsx'
import { OTHERS } from '../../../web/kit/end-others.tsx'
import { attempt, type Fields, readForm } from '../../../web/kit/form.ts'
import { showForm } from '../../../web/kit/frames.tsx'
import { backTo, goTo, readView } from '../../../web/kit/view.ts'
import { NewPasskeyPage } from './new-passkey.tsx'
import { goToFiles, takeFilesPath } from '../../sign-in/pages/files-path.ts'
import { showSecurity } from '../../me/pages/show-security.tsx'

const PATH = '/account/security'

const idSchema = v.object({ id: text() })
const renameSchema = v.object({ id: text(), name: nameSchema })
const newNameForm = v.object({ name: newNameSchema })

/** The forms for passkeys, under `/account/security/passkeys`. */
export const passkeyPages = new Hono<App>()
  .get('/add', (c) => showNewPasskey(c))
  .post('/add', async (c) => {
    const fields = await readForm(c)
    const refusal = await attempt(async () => {
      const { name } = validate(newNameForm, fields)
      const shown = shownIn(c, readRegistration(fields), fields['passkey_session'] ?? '')
      await finishRegistration(c.get('deps'), sessionOf(c), { ...shown, name })
    })
    if (refusal instanceof Refusal) return showNewPasskey(c, fields, refusal)
    const path = takeFilesPath(c)
    return path === '' ? goTo(c, PATH, 'passkey-added') : goToFiles(c, path)
  })
  .post('/confirm', async (c) => {
    const fields = await readForm(c)
    const refusal = await attempt(() => confirmWith(c, fields))
    if (refusal instanceof Refusal) return showNewPasskey(c, fields, refusal)
    return goTo(c, `${PATH}/passkeys/add`)
  })
  .post('/rename', async (c) => {
    const fields = await readForm(c)
    const refusal = await attempt(async () => {
      const { id, name } = validate(renameSchema, fields)
      await renamePasskey(c.get('deps'), sessionOf(c), id, name)
    })
    if (refusal instanceof Refusal)
      return showSecurity(c, { form: 'rename-passkey', fields, refusal })
    return goTo(c, PATH, 'passkey-renamed')
  })
  .post('/delete', async (c) => {
    const fields = await readForm(c)
    const refusal = await attempt(async () => {
      const { id } = validate(idSchema, fields)
      await confirmWith(c, fields)
      const endsOthers = fields[OTHERS] !== undefined
      await removePasskey(c.get('deps'), own(sessionOf(c)), id, { endsOthers })
    })
    if (refusal instanceof Refusal)
      return showSecurity(c, { form: 'delete-passkey', fields, refusal })
    return goTo(c, PATH, 'passkey-deleted')
  })
  .get('/:form', backTo(PATH))

/** Asks for a passkey, or first for the password, when the session is not fresh. */
async function showNewPasskey(c: AppContext, fields?: Fields, refusal?: Refusal) {
  const deps = c.get('deps')
  const session = toEnrol(sessionOf(c))
  const account = await readAccountAs(deps, session)
  const begun = await attempt(async () => {
    const relyingParty = relyingPartyIn(c)
    const { values } = await readSettings(deps)
    const about = { name: '', siteTitle: values.site_title }
    return beginRegistration(deps, session, relyingParty, about)
  })
  const view = await readView(c, account)
  const ceremony =
    begun instanceof Refusal
      ? undefined
      : { options: begun.options.publicKey, session: begun.session }
  // The form that asks for the password needs no words beside it.
  const stopped =
    begun instanceof Refusal && begun.refusal !== 'confirmationNeeded' ? begun : undefined
  const shown = refusal ?? stopped
  const userAgent = c.req.header('User-Agent') ?? ''
  const props = { view, ceremony, isStopped: stopped !== undefined, userAgent, fields }
  return showForm(c, NewPasskeyPage, props, shown)
}

/** @throws {Refusal} `passkeyRefused` for an answer that cannot be read. */
function readRegistration({ passkey_answer: json = '' }: Fields) {
  try {
    return validateJson(registrationAnswerSchema, json)
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    throw new Refusal('passkeyRefused', { detail: error.message })
  }
}
