import { Hono } from 'hono'
import type { App } from '../../http/context.ts'
import { eventPages } from './event-routes.tsx'
import { adminProgramPages } from './program-routes.tsx'
import { noticeAdminPages } from './notice-routes.tsx'
import { showState } from './state.tsx'
import { settingPages } from './setting-routes.tsx'
import { userPages } from './user-routes.tsx'

/** The pages of operators, under `/account/admin`. */
export const adminPages = new Hono<App>()
  .get('/', (c) => showState(c))
  .route('/users', userPages)
  .route('/programs', adminProgramPages)
  .route('/settings', settingPages)
  .route('/events', eventPages)
  .route('/notices', noticeAdminPages)
