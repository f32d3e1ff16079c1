import { capability } from '../../web/kit/capability.ts'

/** The capabilities that it uses, and why (`npm run rooms`). @public */
export const USES = {
  me: 'they stand on the security page',
  sessions: 'a new passkey is named like its device',
  settings: 'a site may turn passkeys off',
  'sign-in': 'a passkey begins a session',
}

export const passkeys = capability({
  ofUser: () => import('./pages/of-user.tsx').then(({ ofUser }) => ofUser),
  pages: [
    [
      '/security/passkeys',
      () => import('./pages/passkey-routes.tsx').then(({ passkeyPages }) => passkeyPages),
    ],
  ],
  api: [
    ['/api/authn', () => import('./http/routes.ts').then(({ passkeyRoutes }) => passkeyRoutes)],
    [
      '/api/admin/user/passkey',
      () =>
        import('./http/operator-routes.ts').then(({ adminPasskeyRoutes }) => adminPasskeyRoutes),
    ],
  ],
})
