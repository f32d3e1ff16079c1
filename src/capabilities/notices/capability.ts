import { capability } from '../../web/kit/capability.ts'
import { adminNoticeRoutes } from './http/operator-routes.ts'
import { noticeRoutes } from './http/routes.ts'
import { noticeAdminPages } from './pages/admin/notice-routes.tsx'
import { noticePages } from './pages/notice-routes.tsx'

/**
 * What it uses of other capabilities, and why (`npm run rooms`).
 *
 * @public
 */
export const USES = {
  mail: 'a channel can be an e-mail address',
}

export const notices = capability({
  api: [
    ['/api/me/notices', noticeRoutes],
    ['/api/admin/notice', adminNoticeRoutes],
  ],
  pages: [['/notices', noticePages]],
  operatorPages: [['/notices', noticeAdminPages]],
  navigation: [['/account/notices', 'notices']],
  operatorNavigation: [['/account/admin/notices', 'channels']],
})
