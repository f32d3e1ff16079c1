import { capability } from '../../web/kit/capability.ts'

/** The capabilities that it uses, and why (`npm run rooms`). @public */
export const USES = {
  settings: 'operators see how many a user may have',
  'sign-in': 'the present session is in the cookie',
}

export const sessions = capability({
  api: [
    [
      '/api/me/sessions',
      () => import('./http/routes.ts').then(({ sessionRoutes }) => sessionRoutes),
    ],
  ],
  pages: [
    ['/sessions', () => import('./pages/routes.tsx').then(({ sessionPages }) => sessionPages)],
  ],
  ofUser: () => import('./pages/of-user.tsx').then(({ ofUser }) => ofUser),
  navigation: [['/account/sessions', 'sessions']],
})
