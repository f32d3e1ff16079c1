import { capability } from '../../web/kit/capability.ts'
import { sessionRoutes } from './http/routes.ts'
import { sessionPages } from './pages/routes.tsx'

export const sessions = capability({
  api: [['/api/me/sessions', sessionRoutes]],
  pages: [['/sessions', sessionPages]],
  navigation: [['/account/sessions', 'sessions']],
})
