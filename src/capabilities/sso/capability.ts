import { capability } from '../../web/kit/capability.ts'
import { adminIdentityRoutes } from './http/operator-routes.ts'
import { createSsoRoutes } from './http/routes.ts'
import { clearProvenIdentity, signOutRoutes } from './http/proven-identity.ts'
import { ssoCheckPages } from './pages/admin/check-routes.ts'
import { SsoSetup } from './pages/admin/sso-setup.tsx'
import { ssoAnswers } from './pages/answers.tsx'
import { ssoSignInPages } from './pages/sign-in-routes.tsx'
import { SsoButton } from './pages/sign-in-way.tsx'

/**
 * What it uses of other capabilities, and why (`npm run rooms`).
 *
 * @public
 */
export const USES = {
  me: 'linked accounts stand on the security page',
  passkeys: 'the last way in may be a passkey',
  settings: 'the provider is a setting',
  'sign-in': 'a proven identity begins a session',
  'two-factor': 'which may need a code',
  users: 'operators see them on the page of a user',
}

export const sso = capability({
  api: [
    ['/api/auth', signOutRoutes],
    ['/api/auth', createSsoRoutes(ssoAnswers)],
    ['/api/admin/user/identity', adminIdentityRoutes],
  ],
  publicPages: [['/sign-in/sso', ssoSignInPages]],
  operatorPages: [['/settings/sso/check', ssoCheckPages]],
  parts: { signInWay: SsoButton, settings: SsoSetup },
  clearWithSession: clearProvenIdentity,
})
