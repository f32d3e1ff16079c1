import { capability, loadPartsOfUser } from '../../web/kit/capability.ts'

/** The capabilities that it uses, and why (`npm run rooms`). @public */
export const USES = {
  activity: 'the page of a user has the latest events',
  mail: 'the old address and a user whose account ends are told',
  me: 'what still opens the account after a new password',
  passkeys: 'operators delete them',
  sessions: 'operators end them',
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
    [
      '/users',
      async (capabilities) => {
        const [{ userPages }, parts] = await Promise.all([
          import('./pages/admin/user-routes.tsx'),
          loadPartsOfUser(capabilities),
        ])
        return userPages(parts)
      },
    ],
  ],
  undo: () => import('./pages/undo.ts').then(({ userUndo }) => userUndo),
  operatorNavigation: [['/account/admin/users', 'users']],
  operatorCount: () => import('./pages/admin/needy-count.ts').then(({ needyCount }) => needyCount),
  nightly: () => import('./runs.ts').then(({ nightly }) => nightly),
})
