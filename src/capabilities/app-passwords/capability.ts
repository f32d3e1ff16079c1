import { capability } from '../../web/kit/capability.ts'
import { countDeadAppPasswords } from './http/count-dead.ts'

/** The capabilities that it uses, and why (`npm run rooms`). @public */
export const USES = {
  me: 'a list marks what a demanded second factor has closed',
  settings: 'a new app password comes with the SFTP address',
  'ssh-keys': 'and with the command for it',
}

export const appPasswords = capability({
  api: [
    [
      '/api/me/tokens',
      () => import('./http/routes.ts').then(({ appPasswordRoutes }) => appPasswordRoutes),
    ],
    [
      '/api/admin/user/token',
      () =>
        import('./http/operator-routes.ts').then(
          ({ adminAppPasswordRoutes }) => adminAppPasswordRoutes,
        ),
    ],
    [
      '/api/forward_auth',
      () =>
        import('./http/forward-auth-routes.ts').then(({ forwardAuthRoutes }) => forwardAuthRoutes),
    ],
    [
      '/oauth',
      () =>
        import('./http/introspection-routes.ts').then(
          ({ introspectionRoutes }) => introspectionRoutes,
        ),
      ['/introspect'],
    ],
  ],
  pages: [
    [
      '/app-passwords',
      () =>
        import('./pages/app-passwords-routes.tsx').then(({ appPasswordPages }) => appPasswordPages),
    ],
  ],
  ofUser: () => import('./pages/of-user.tsx').then(({ ofUser }) => ofUser),
  navigation: [['/account/app-passwords', 'app-passwords']],
  middleware: {
    around: [
      ['/api/*', countDeadAppPasswords],
      ['/dav/*', countDeadAppPasswords],
    ],
  },
  nightly: () => import('./runs.ts').then(({ nightly }) => nightly),
})
