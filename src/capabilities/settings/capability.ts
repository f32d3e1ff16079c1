import { capability } from '../../web/kit/capability.ts'
import { adminSettingRoutes } from './http/operator-routes.ts'
import { publicRoutes, siteRoutes } from './http/routes.ts'
import { settingPages } from './pages/admin/setting-routes.tsx'
import { rebuildCopy } from './store.ts'

/**
 * What it uses of other capabilities, and why (`npm run rooms`).
 *
 * @public
 */
export const USES = {
  users: 'new accounts get permissions',
}

export const settings = capability({
  api: [
    ['/api/admin/setting', adminSettingRoutes],
    ['/api/public', publicRoutes],
    ['/', siteRoutes],
  ],
  operatorPages: [['/settings', settingPages]],
  operatorNavigation: [['/account/admin/settings', 'settings']],
  nightly: ({ deps }) => rebuildCopy(deps),
})
