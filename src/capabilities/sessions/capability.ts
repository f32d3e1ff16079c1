import { capability } from '../../web/kit/capability.ts'

/** The capabilities that it uses, and why (`npm run rooms`). @public */
export const USES = {
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
  navigation: [['/account/sessions', 'sessions']],
})
