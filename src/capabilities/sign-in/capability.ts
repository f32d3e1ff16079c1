import { capability } from '../../web/kit/capability.ts'

/** The capabilities that it uses, and why (`npm run rooms`). @public */
export const USES = {
  passkeys: 'the sign-in page takes a passkey',

  'two-factor': 'a sign-in asks for the code',
}

export const signIn = capability({
  api: [
    [
      '/api/auth',
      () => import('./http/routes.ts').then(({ loginRoutes }) => loginRoutes),
      ['/login', '/logout'],
      'seldom',
    ],
  ],
  publicPages: [
    [
      '/sign-in',
      () => import('./pages/routes.tsx').then(({ signInPages }) => signInPages),
      undefined,
      'seldom',
    ],
  ],
  pages: [
    [
      '/sign-out',
      () => import('./pages/sign-out-routes.ts').then(({ signOutPages }) => signOutPages),
    ],
  ],
})
