import { capability } from '../../web/kit/capability.ts'

/** The capabilities that it uses, and why (`npm run rooms`). @public */
export const USES = {
  me: 'it stands on the security page',
  settings: 'the enrolment names the site',
}

export const twoFactor = capability({
  api: [
    [
      '/api/auth/2fa',
      () => import('./http/routes.ts').then(({ twoFactorRoutes }) => twoFactorRoutes),
    ],
  ],
})
