import { Hono } from 'hono'
import type { App, AppContext } from '../../../../web/http/context.ts'
import { actorOf } from '../../../../web/http/guard.ts'
import { action, formsOf } from '../../../../web/kit/action.ts'
import { adminView } from '../../../../web/kit/admin/view.ts'
import { loadAll } from '../../../../web/kit/capability.ts'
import { showForm } from '../../../../web/kit/frames.tsx'
import type { Refused } from '../../../../web/kit/form.ts'
import { saveSettings } from '../../../settings/manage-settings.ts'
import { checksOf } from '../../http/checks.ts'
import { readSiteState } from '../../site-state.ts'
import { SitePage } from './site.tsx'

const PATH = '/account/admin'

/** The status of the site, under `/account/admin`. */
export const sitePages = new Hono<App>().get('/', (c) => showSite(c))

/** The form of its checklist, under `/account/admin/checklist`. */
export const checklistForms = formsOf(PATH, showSite, {
  hide: action({
    run: (c) => saveSettings(c.get('deps'), actorOf(c), { setup_checklist: 'false' }),
    done: 'checklist-hidden',
  }),
})

async function showSite(c: AppContext, refused?: Refused) {
  const view = await adminView(c)
  const attention = await loadAll(
    c.get('capabilities').flatMap((capability) => capability.attention ?? []),
  )
  const others = { checks: checksOf(c), attention }
  const state = await readSiteState(c.get('deps'), actorOf(c), others)
  return showForm(c, SitePage, { view, state }, refused)
}
