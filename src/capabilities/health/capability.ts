import { capability } from '../../web/kit/capability.ts'

/** The capabilities that it uses, and why (`npm run rooms`). @public */
export const USES = {
  activity: 'the status of the site shows the latest changes',
  settings: 'the checklist of a new site can be hidden',
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
    [
      '/checklist',
      () => import('./pages/admin/routes.tsx').then(({ checklistForms }) => checklistForms),
    ],
  ],
  operatorNavigation: [['/account/admin', 'admin']],
})
