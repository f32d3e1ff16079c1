import { capability } from '../../web/kit/capability.ts'

/** The capabilities that it uses, and why (`npm run rooms`). @public */
export const USES = {
  users: 'new accounts get permissions',
}

export const settings = capability({
  api: [
    [
      '/api/admin/setting',
      () =>
        import('./http/operator-routes.ts').then(({ adminSettingRoutes }) => adminSettingRoutes),
    ],
    [
      '/api/public',
      () => import('./http/public-routes.ts').then(({ publicRoutes }) => publicRoutes),
      ['/settings', '/archive_extensions'],
      'seldom',
    ],
    [
      '/',
      () => import('./http/site-routes.ts').then(({ siteRoutes }) => siteRoutes),
      ['/robots.txt', '/favicon.ico', '/.well-known/security.txt', '/.well-known/webauthn'],
    ],
  ],
  operatorPages: [
    [
      '/settings',
      () => import('./pages/admin/setting-routes.tsx').then(({ settingPages }) => settingPages),
    ],
  ],
  operatorNavigation: [['/account/admin/settings', 'settings']],
  nightly: () => import('./runs.ts').then(({ nightly }) => nightly),
})
