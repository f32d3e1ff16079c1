import { capability } from '../../web/kit/capability.ts'

/** The capabilities that it uses, and why (`npm run rooms`). @public */
export const USES = {
  me: 'linked accounts stand on the security page',
  passkeys: 'the last way in may be a passkey',
  settings: 'the provider is a setting',
  'sign-in': 'a proven identity begins a session',
  'two-factor': 'which may need a code',
}

export const sso = capability({
  api: [
    [
      '/api/auth',
      () => import('./http/proven-identity.ts').then(({ signOutRoutes }) => signOutRoutes),
      ['/logout'],
    ],
    [
      '/api/auth',
      async () => {
        const [{ createSsoRoutes }, { ssoAnswers }] = await Promise.all([
          import('./http/routes.ts'),
          import('./pages/answers.tsx'),
        ])
        return createSsoRoutes(ssoAnswers)
      },
      ['/sso', '/sso_callback', '/sso_get_token', '/get_sso_id'],
    ],
    [
      '/api/admin/user/identity',
      () =>
        import('./http/operator-routes.ts').then(({ adminIdentityRoutes }) => adminIdentityRoutes),
    ],
  ],
  publicPages: [
    [
      '/sign-in/sso',
      () => import('./pages/sign-in-routes.tsx').then(({ ssoSignInPages }) => ssoSignInPages),
    ],
  ],
  operatorPages: [
    [
      '/settings/sso/check',
      () => import('./pages/admin/check-routes.ts').then(({ ssoCheckPages }) => ssoCheckPages),
    ],
  ],
  pages: [
    [
      '/security/identities',
      () => import('./pages/identity-routes.tsx').then(({ identityPages }) => identityPages),
    ],
  ],
  ofUser: () => import('./pages/of-user.tsx').then(({ ofUser }) => ofUser),
  parts: () => import('./pages/parts.ts').then(({ ssoParts }) => ssoParts),
  provenIdentity: () =>
    import('./http/proven-identity.ts').then(({ provenIdentity }) => provenIdentity),
  clearWithSession: () =>
    import('./http/proven-identity.ts').then(({ clearProvenIdentity }) => clearProvenIdentity),
})
