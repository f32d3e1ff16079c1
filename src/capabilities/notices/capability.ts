import { capability } from '../../web/kit/capability.ts'
import { noticesAfterRequests, sendAfterAnswer } from './http/after-requests.ts'
import { adminNoticeRoutes } from './http/operator-routes.ts'
import { noticeRoutes } from './http/routes.ts'
import { noticeAdminPages } from './pages/admin/notice-routes.tsx'
import { forgetChannels } from './memory.ts'
import { noticePages } from './pages/notice-routes.tsx'
import { sendNotices } from './send.ts'
import { watchParts } from './watch.ts'

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
  middleware: { around: [['*', noticesAfterRequests]] },
  frequent: ({ deps, now, batch }) =>
    sendNotices(deps, (parts) => batch.add({ ...watchParts(deps.db, now), ...parts })),
  // The command may have written an event, or left a test for a channel.
  afterCommand(deps) {
    forgetChannels(deps)
    return sendAfterAnswer(deps)
  },
})
