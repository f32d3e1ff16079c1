import { capability } from '../../web/kit/capability.ts'
import { adminSettingRoutes } from './http/operator-routes.ts'
import { publicRoutes, siteRoutes } from './http/routes.ts'
import { settingPages } from './pages/admin/setting-routes.tsx'

export const settings = capability({
  api: [
    ['/api/admin/setting', adminSettingRoutes],
    ['/api/public', publicRoutes],
    ['/', siteRoutes],
  ],
  operatorPages: [['/settings', settingPages]],
  operatorNavigation: [['/account/admin/settings', 'settings']],
})
