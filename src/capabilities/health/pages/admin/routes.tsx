import { Hono } from 'hono'
import { loadPart } from '../../../../core/base/load-part.ts'
import type { SharedParts } from '../../../../core/database/shared-batch.ts'
import type { App, AppContext } from '../../../../web/http/context.ts'
import { actorOf } from '../../../../web/http/guard.ts'
import { action, formsOf } from '../../../../web/kit/action.ts'
import { adminViewWith } from '../../../../web/kit/admin/view.ts'
import { loadAll } from '../../../../web/kit/capability.ts'
import { showForm } from '../../../../web/kit/frames.tsx'
import type { Refused } from '../../../../web/kit/form.ts'
import { checksOf } from '../../http/checks.ts'
import { readSiteState } from '../../site-state.ts'
import { SitePage } from './site.tsx'

const PATH = '/account/admin'

/** The status of the site, under `/account/admin`. */
export const sitePages = new Hono<App>().get('/', (c) => showSite(c))

/** The form of its checklist, under `/account/admin/checklist`. */
export const checklistForms = formsOf(PATH, showSite, {
  hide: action({
    run: async (c) => {
      const { saveSettings } = await loadPart(() => import('../../../settings/manage-settings.ts'))
      return saveSettings(c.get('deps'), actorOf(c), { setup_checklist: 'false' })
    },
    done: 'checklist-hidden',
  }),
})

async function showSite(c: AppContext, refused?: Refused) {
  const attention = await loadAll(
    c.get('capabilities').flatMap((capability) => capability.attention ?? []),
  )
  const others = { checks: checksOf(c), attention }
  const readAsAdmin = (parts: SharedParts) => adminViewWith(c, parts)
  const { read, ...state } = await readSiteState(c.get('deps'), readAsAdmin, others)
  return showForm(c, SitePage, { view: read.view, state }, refused)
}
