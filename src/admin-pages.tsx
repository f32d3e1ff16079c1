import { Hono } from 'hono'
import type { App } from './web/http/context.ts'
import { readSiteState } from './capabilities/health/site-state.ts'
import { actorOf } from './web/http/guard.ts'
import { showPage } from './web/kit/view.ts'
import { eventPages } from './capabilities/activity/pages/admin/event-routes.tsx'
import { invitationPages } from './capabilities/joining/pages/admin/invitation-routes.tsx'
import { adminProgramPages } from './capabilities/openid/pages/admin/program-routes.tsx'
import { noticeAdminPages } from './capabilities/notices/pages/admin/notice-routes.tsx'
import { settingPages } from './capabilities/settings/pages/admin/setting-routes.tsx'
import { SitePage } from './capabilities/health/pages/admin/site.tsx'
import { userPages } from './capabilities/users/pages/admin/user-routes.tsx'
import { adminView } from './web/kit/admin/view.ts'

/** The pages of operators, under `/account/admin`. */
export const adminPages = new Hono<App>()
  .get('/', async (c) => {
    const view = await adminView(c)
    const state = await readSiteState(c.get('deps'), actorOf(c))
    return showPage(c, <SitePage view={view} state={state} />)
  })
  .route('/users', userPages)
  .route('/invitations', invitationPages)
  .route('/programs', adminProgramPages)
  .route('/settings', settingPages)
  .route('/events', eventPages)
  .route('/notices', noticeAdminPages)
