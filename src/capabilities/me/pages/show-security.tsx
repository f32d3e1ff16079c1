import type { AppContext } from '../../../web/http/context.ts'
import { sessionOf } from '../../../web/http/guard.ts'
import type { Refusal } from '../../../core/base/refusals.ts'
import { toConfirm } from '../../../core/access/sign-in-methods.ts'
import { readWaysIn } from '../../sso/manage.ts'
import { problemOf } from '../../../web/kit/form.ts'
import { readView, showPage } from '../../../web/kit/view.ts'
import type { SecurityForm } from './security-forms.ts'
import { SecurityPage } from './security.tsx'

/** The form that was refused, why, and the passkey or the identity's subject that the form is for. */
interface Refused {
  form: SecurityForm
  refusal: Refusal
  passkey?: string | undefined
  identity?: string | undefined
}

/** Answers with the page Security. A session without the required second factor gets a part of it. */
export async function showSecurity(c: AppContext, refused?: Refused) {
  const session = toConfirm(sessionOf(c))
  const { account, ...ways } = await readWaysIn(c.get('deps'), session)
  const view = await readView(c, account)
  const shown = refused && { ...refused, problem: problemOf(view.t, refused.refusal) }
  const props = { view, account, ...ways, refused: shown }
  return showPage(c, <SecurityPage {...props} />, refused?.refusal)
}
