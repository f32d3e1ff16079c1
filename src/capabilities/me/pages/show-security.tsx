import type { AppContext } from '../../../web/http/context.ts'
import { sessionOf } from '../../../web/http/guard.ts'
import { toConfirm } from '../../../core/access/sign-in-methods.ts'
import { readWaysIn } from '../../sso/manage.ts'
import type { Refused } from '../../../web/kit/form.ts'
import { showForm } from '../../../web/kit/frames.tsx'
import { readView } from '../../../web/kit/view.ts'
import type { SecurityForm } from './security-forms.ts'
import { SecurityPage } from './security.tsx'

/** Answers with the page Security. A session without the required second factor gets a part of it. */
export async function showSecurity(c: AppContext, refused?: Refused<SecurityForm>) {
  const session = toConfirm(sessionOf(c))
  const { account, ...ways } = await readWaysIn(c.get('deps'), session)
  const view = await readView(c, account)
  return showForm(c, SecurityPage, { view, account, ...ways }, refused)
}
