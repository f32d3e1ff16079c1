import { capability } from '../../web/kit/capability.ts'
import { loginRoutes } from './http/routes.ts'
import { signInPages } from './pages/routes.tsx'
import { signOutPages } from './pages/sign-out-routes.ts'

/**
 * What it uses of other capabilities, and why (`npm run rooms`).
 *
 * @public
 */
export const USES = {
  passkeys: 'the sign-in page takes a passkey',

  'two-factor': 'a sign-in asks for the code',
}

export const signIn = capability({
  api: [['/api/auth', loginRoutes]],
  publicPages: [['/sign-in', signInPages]],
  pages: [['/sign-out', signOutPages]],
})
