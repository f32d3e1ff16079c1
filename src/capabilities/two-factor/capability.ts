import { capability } from '../../web/kit/capability.ts'
import { twoFactorRoutes } from './http/routes.ts'

export const twoFactor = capability({
  api: [['/api/auth/2fa', twoFactorRoutes]],
})
