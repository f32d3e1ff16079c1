import { capability } from '../../web/kit/capability.ts'
import { adminUserRoutes } from './http/operator-routes.ts'
import { userPages } from './pages/admin/user-routes.tsx'

export const users = capability({
  api: [['/api/admin/user', adminUserRoutes]],
  operatorPages: [['/users', userPages]],
  operatorNavigation: [['/account/admin/users', 'users']],
})
