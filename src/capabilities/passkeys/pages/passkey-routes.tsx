import * as v from 'valibot'
import type { AppContext } from '../../../web/http/context.ts'
import { sessionOf } from '../../../web/http/guard.ts'
import { validate, validateJson } from '../../../web/http/input.ts'
import { Refusal } from '../../../core/base/refusals.ts'
import { text } from '../../../core/base/text.ts'
import { readAccountAs } from '../../../core/access/read-account.ts'
import { toEnrol } from '../../../core/access/leniency.ts'
import { own } from '../../../core/access/subject.ts'
import { nameSchema, newNameSchema, registrationAnswerSchema } from '../answer-schemas.ts'
import { beginRegistration } from '../begin.ts'
import { removePasskey, renamePasskey } from '../manage.ts'
import { finishRegistration } from '../registration.ts'
import { relyingPartyIn, shownIn } from '../http/relying-party.ts'
import { readSettings } from '../../settings/copy.ts'
import { action, formsOf } from '../../../web/kit/action.ts'
import { OTHERS } from '../../../web/kit/end-others.tsx'
import { attempt, type Fields, type Refused } from '../../../web/kit/form.ts'
import { showForm } from '../../../web/kit/frames.tsx'
import { goTo, readView } from '../../../web/kit/view.ts'
import { NewPasskeyPage } from './new-passkey.tsx'
import { goToFiles, takeFilesPath } from '../../sign-in/pages/files-path.ts'
import { showSecurity } from '../../me/pages/show-security.tsx'

const PATH = '/account/security'

const renameSchema = v.object({ id: text(), name: nameSchema })
const newNameForm = v.object({ name: newNameSchema })

/** The forms for passkeys, under `/account/security/passkeys`. */
export const passkeyPages = formsOf(PATH, showPasskeys, {
  add: action({
    page: showNewPasskey,
    reads: (fields, c) => ({
      ...validate(newNameForm, fields),
      ...shownIn(c, readRegistration(fields), fields['passkey_session'] ?? ''),
    }),
    run: (c, shown) => finishRegistration(c.get('deps'), sessionOf(c), shown),
    done: (c) => {
      const path = takeFilesPath(c)
      return path === '' ? goTo(c, PATH, 'passkey-added') : goToFiles(c, path)
    },
  }),
  confirm: action({
    refused: showNewPasskey,
    confirms: true,
    run: () => Promise.resolve(),
    done: (c) => goTo(c, `${PATH}/passkeys/add`),
  }),
  rename: action({
    reads: renameSchema,
    run: (c, { id, name }) => renamePasskey(c.get('deps'), sessionOf(c), id, name),
    done: 'passkey-renamed',
  }),
  delete: action({
    reads: v.object({ id: text() }),
    confirms: true,
    run: (c, { id }, fields) => {
      const endsOthers = fields[OTHERS] !== undefined
      return removePasskey(c.get('deps'), own(sessionOf(c)), id, { endsOthers })
    },
    done: 'passkey-deleted',
  }),
})

function showPasskeys(c: AppContext, refused?: Refused) {
  const form = refused?.form === 'rename' ? 'rename-passkey' : 'delete-passkey'
  return showSecurity(c, refused && { ...refused, form })
}

/** Asks for a passkey, or first for the password, when the session is not fresh. */
async function showNewPasskey(c: AppContext, refused?: Refused) {
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
  const shown = refused ?? (stopped && { form: 'add', fields: {}, refusal: stopped })
  const userAgent = c.req.header('User-Agent') ?? ''
  const props = {
    view,
    ceremony,
    isStopped: stopped !== undefined,
    userAgent,
    fields: refused?.fields,
  }
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
