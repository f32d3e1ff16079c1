import { capability } from '../../web/kit/capability.ts'
import { loginRoutes } from './http/routes.ts'
import { signInPages } from './pages/routes.tsx'
import { signOutPages } from './pages/sign-out-routes.ts'

export const signIn = capability({
  api: [['/api/auth', loginRoutes]],
  publicPages: [['/sign-in', signInPages]],
  pages: [['/sign-out', signOutPages]],
})
