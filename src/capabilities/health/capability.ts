import { capability } from '../../web/kit/capability.ts'

/** The capabilities that it uses, and why (`npm run rooms`). @public */
export const USES = {
  activity: 'the state of a site shows the latest changes',
  users: 'and counts users',
}

export const health = capability({
  api: [
    [
      '/api/admin/health',
      () => import('./http/routes.ts').then(({ healthRoutes }) => healthRoutes),
    ],
  ],
  operatorPages: [
    ['/', () => import('./pages/admin/routes.tsx').then(({ sitePages }) => sitePages), ['']],
  ],
  operatorNavigation: [['/account/admin', 'admin']],
})
