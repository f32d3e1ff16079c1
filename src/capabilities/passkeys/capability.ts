import { capability } from '../../web/kit/capability.ts'
import { adminPasskeyRoutes } from './http/operator-routes.ts'
import { passkeyRoutes } from './http/routes.ts'

export const passkeys = capability({
  api: [
    ['/api/authn', passkeyRoutes],
    ['/api/admin/user/passkey', adminPasskeyRoutes],
  ],
})
