import { capability } from '../../web/kit/capability.ts'

/** The capabilities that it uses, and why (`npm run rooms`). @public */
export const USES = {
  activity: 'the page of a user has the latest events',
  'app-passwords': 'and the app passwords',
  joining: 'and the links',
  mail: 'the old address and a user whose account ends are told',
  me: 'what still opens the account after a new password',
  openid: 'whether a program knows the name',
  passkeys: 'operators delete them',
  sessions: 'operators end them',
  settings: 'the default of permissions',
  'ssh-keys': 'operators delete them',
  sso: 'operators set the linked account',
  'two-factor': 'operators cancel it',
}

export const users = capability({
  api: [
    [
      '/api/admin/user',
      () => import('./http/operator-routes.ts').then(({ adminUserRoutes }) => adminUserRoutes),
      ['/list', '/get', '/create', '/update', '/delete', '/cancel_2fa', '/details', '/del_cache'],
    ],
  ],
  operatorPages: [
    ['/users', () => import('./pages/admin/user-routes.tsx').then(({ userPages }) => userPages)],
  ],
  operatorNavigation: [['/account/admin/users', 'users']],
  nightly: () => import('./runs.ts').then(({ nightly }) => nightly),
})
