import { Hono } from 'hono'
import type { App } from '../../http/context.ts'
import { goTo } from '../view.ts'
import { adminEventRoutes } from './event-routes.tsx'
import { adminSettingRoutes } from './setting-routes.tsx'
import { adminUserRoutes } from './user-routes.tsx'

/** For operators, under `/account/admin`. */
export const adminRoutes = new Hono<App>()
  .get('/', (c) => goTo(c, '/account/admin/users'))
  .route('/users', adminUserRoutes)
  .route('/settings', adminSettingRoutes)
  .route('/events', adminEventRoutes)
