import { capability } from '../../web/kit/capability.ts'
import { userRoutes } from './http/profile-routes.ts'
import { overviewPages } from './pages/routes.tsx'
import { securityPages } from './pages/security-routes.tsx'

export const me = capability({
  api: [['/api/me', userRoutes]],
  pages: [
    ['/', overviewPages],
    ['/security', securityPages],
  ],
  navigation: [
    ['/account', 'overview'],
    ['/account/security', 'security'],
  ],
})
