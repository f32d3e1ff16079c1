import { capability } from '../../web/kit/capability.ts'

/** The capabilities that it uses, and why (`npm run rooms`). @public */
export const USES = {
  activity: 'the overview shows the latest events',
  passkeys: 'a confirmation may be one',
  sessions: 'the check of an account begins with them',
  settings: 'the name of the site',
  'sign-in': 'a new password leads to the sign-in',
  'two-factor': 'the security page has the codes',
  users: 'one’s own record is that of the lists',
}

export const me = capability({
  api: [
    [
      '/api/me',
      () => import('./http/record-routes.ts').then(({ recordRoutes }) => recordRoutes),
      [''],
      'seldom',
    ],
    [
      '/api/me',
      () => import('./http/profile-routes.ts').then(({ profileRoutes }) => profileRoutes),
      ['/details', '/update', '/confirm', '/credentials'],
    ],
  ],
  pages: [
    ['/', () => import('./pages/routes.tsx').then(({ overviewPages }) => overviewPages), ['']],
    [
      '/security',
      () => import('./pages/security-routes.tsx').then(({ securityPages }) => securityPages),
    ],
  ],
  navigation: [
    ['/account', 'overview'],
    ['/account/security', 'security'],
  ],
})
