import { Hono } from 'hono'
import type { App } from '../../../../web/http/context.ts'
import { actorOf } from '../../../../web/http/guard.ts'
import { adminView } from '../../../../web/kit/admin/view.ts'
import { showPage } from '../../../../web/kit/view.ts'
import { loadAll } from '../../../../web/kit/capability.ts'
import { checksOf } from '../../http/checks.ts'
import { readSiteState } from '../../site-state.ts'
import { SitePage } from './site.tsx'

/** The state of the site, under `/account/admin`. */
export const sitePages = new Hono<App>().get('/', async (c) => {
  const view = await adminView(c)
  const attention = await loadAll(
    c.get('capabilities').flatMap((capability) => capability.attention ?? []),
  )
  const others = { checks: checksOf(c), attention }
  const state = await readSiteState(c.get('deps'), actorOf(c), others)
  return showPage(c, <SitePage view={view} state={state} />)
})
