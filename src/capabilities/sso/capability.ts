import { capability } from '../../web/kit/capability.ts'
import { adminIdentityRoutes } from './http/operator-routes.ts'
import { createSsoRoutes } from './http/routes.ts'
import { signOutRoutes } from './http/proven-identity.ts'
import { ssoAnswers } from './pages/answers.tsx'

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
})
