import { capability } from '../../web/kit/capability.ts'
import { adminIdentityRoutes } from './http/operator-routes.ts'
import { createSsoRoutes } from './http/routes.ts'
import { signOutRoutes } from './http/proven-identity.ts'
import { ssoAnswers } from './pages/answers.tsx'

export const sso = capability({
  api: [
    ['/api/auth', signOutRoutes],
    ['/api/auth', createSsoRoutes(ssoAnswers)],
    ['/api/admin/user/identity', adminIdentityRoutes],
  ],
})
