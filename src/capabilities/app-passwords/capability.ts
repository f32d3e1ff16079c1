import { capability } from '../../web/kit/capability.ts'
import { forwardAuthRoutes } from './http/forward-auth-routes.ts'
import { introspectionRoutes } from './http/introspection-routes.ts'
import { adminAppPasswordRoutes } from './http/operator-routes.ts'
import { appPasswordRoutes } from './http/routes.ts'
import { appPasswordPages } from './pages/app-passwords-routes.tsx'

export const appPasswords = capability({
  api: [
    ['/api/me/tokens', appPasswordRoutes],
    ['/api/admin/user/token', adminAppPasswordRoutes],
    ['/api/forward_auth', forwardAuthRoutes],
    ['/oauth', introspectionRoutes],
  ],
  pages: [['/app-passwords', appPasswordPages]],
  navigation: [['/account/app-passwords', 'app-passwords']],
})
