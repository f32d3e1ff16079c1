import { capability } from '../../web/kit/capability.ts'
import { sessionRoutes } from './http/routes.ts'
import { sessionPages } from './pages/routes.tsx'

/**
 * What it uses of other capabilities, and why (`npm run rooms`).
 *
 * @public
 */
export const USES = {
  'sign-in': 'the present session is in the cookie',
}

export const sessions = capability({
  api: [['/api/me/sessions', sessionRoutes]],
  pages: [['/sessions', sessionPages]],
  navigation: [['/account/sessions', 'sessions']],
})
