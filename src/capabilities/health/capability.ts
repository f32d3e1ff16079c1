import { capability } from '../../web/kit/capability.ts'
import { healthRoutes } from './http/routes.ts'
import { sitePages } from './pages/admin/routes.tsx'

export const health = capability({
  api: [['/api/admin/health', healthRoutes]],
  operatorPages: [['/', sitePages]],
  operatorNavigation: [['/account/admin', 'admin']],
})
