import { capability } from '../../web/kit/capability.ts'

/** The capabilities that it uses, and why (`npm run rooms`). @public */
export const USES = {
  me: 'they stand on the security page',
  sessions: 'a new passkey is named like its device',
  settings: 'a site may turn passkeys off',
  'sign-in': 'a passkey begins a session',
  users: 'operators see them on the page of a user',
}

export const passkeys = capability({
  api: [
    ['/api/authn', () => import('./http/routes.ts').then(({ passkeyRoutes }) => passkeyRoutes)],
    [
      '/api/admin/user/passkey',
      () =>
        import('./http/operator-routes.ts').then(({ adminPasskeyRoutes }) => adminPasskeyRoutes),
    ],
  ],
})
