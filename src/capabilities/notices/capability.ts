import { capability } from '../../web/kit/capability.ts'
import { noticesAfterRequests } from './http/after-requests.ts'

/** The capabilities that it uses, and why (`npm run rooms`). @public */
export const USES = {
  mail: 'a channel can be an e-mail address',
  'sign-in': 'a new password leads to the sign-in, and then to the channel',
}

export const notices = capability({
  api: [
    ['/api/me/notices', () => import('./http/routes.ts').then(({ noticeRoutes }) => noticeRoutes)],
    [
      '/api/admin/notice',
      () => import('./http/operator-routes.ts').then(({ adminNoticeRoutes }) => adminNoticeRoutes),
    ],
  ],
  pages: [
    ['/notices', () => import('./pages/notice-routes.tsx').then(({ noticePages }) => noticePages)],
  ],
  operatorPages: [
    [
      '/notices',
      () =>
        import('./pages/admin/notice-routes.tsx').then(({ noticeAdminPages }) => noticeAdminPages),
    ],
  ],
  ofUser: () => import('./pages/of-user.tsx').then(({ ofUser }) => ofUser),
  navigation: [['/account/notices', 'notices']],
  operatorNavigation: [['/account/admin/notices', 'channels']],
  attention: () =>
    import('./pages/admin/attention.tsx').then(({ findFailingChannels }) => findFailingChannels),
  middleware: { around: [['*', noticesAfterRequests]] },
  frequent: () => import('./runs.ts').then(({ frequent }) => frequent),
  afterCommand: () => import('./runs.ts').then(({ afterCommand }) => afterCommand),
})
