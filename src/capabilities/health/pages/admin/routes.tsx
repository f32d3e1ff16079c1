import { Hono } from 'hono'
import type { App } from '../../../../web/http/context.ts'
import { actorOf } from '../../../../web/http/guard.ts'
import { adminView } from '../../../../web/kit/admin/view.ts'
import { showPage } from '../../../../web/kit/view.ts'
import { readSiteState } from '../../site-state.ts'
import { SitePage } from './site.tsx'

/** The state of the site, under `/account/admin`. */
export const sitePages = new Hono<App>().get('/', async (c) => {
  const view = await adminView(c)
  const state = await readSiteState(c.get('deps'), actorOf(c))
  return showPage(c, <SitePage view={view} state={state} />)
})
