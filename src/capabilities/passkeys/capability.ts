import { capability } from '../../web/kit/capability.ts'
import { adminPasskeyRoutes } from './http/operator-routes.ts'
import { passkeyRoutes } from './http/routes.ts'

/**
 * What it uses of other capabilities, and why (`npm run rooms`).
 *
 * @public
 */
export const USES = {
  me: 'they stand on the security page',
  sessions: 'a new passkey is named like its device',
  settings: 'a site may turn passkeys off',
  'sign-in': 'a passkey begins a session',
  users: 'operators see them on the page of a user',
}

export const passkeys = capability({
  api: [
    ['/api/authn', passkeyRoutes],
    ['/api/admin/user/passkey', adminPasskeyRoutes],
  ],
})
