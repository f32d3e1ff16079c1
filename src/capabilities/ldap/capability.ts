import { capability } from '../../web/kit/capability.ts'
import { ldapRoutes } from './http/routes.ts'

export const ldap = capability({
  api: [['/api/ldap', ldapRoutes]],
})
