import type { AppContext } from '../../../web/http/context.ts'
import { sessionOf } from '../../../web/http/guard.ts'
import { toConfirm } from '../../../core/access/leniency.ts'
import { inBatchOf } from '../../../core/database/shared-batch.ts'
import { loadPartsOfUser } from '../../../web/kit/capability.ts'
import { readWaysIn } from '../ways-in.ts'
import type { Refused } from '../../../web/kit/form.ts'
import { showForm } from '../../../web/kit/frames.tsx'
import { readView } from '../../../web/kit/view.ts'
import { SecurityPage } from './security.tsx'

/** Answers with the page Security. A session without the required second factor gets a part of it. */
export async function showSecurity(c: AppContext, refused?: Refused) {
  const session = toConfirm(sessionOf(c))
  const deps = c.get('deps')
  const parts = (await loadPartsOfUser(c.get('capabilities'))).flatMap(
    ({ security = [] }) => security,
  )
  const { ran, works } = await inBatchOf(
    (others) => readWaysIn(deps, session, others),
    (batch) => parts.map((read) => read(deps, session.userId, batch)),
  )
  const view = await readView(c, ran.account)
  return showForm(c, SecurityPage, { view, ...ran, sections: works }, refused)
}
