import { capability } from '../../web/kit/capability.ts'

/** The capabilities that it uses, and why (`npm run rooms`). @public */
export const USES = {
  'sign-in': 'a bind with a password replaces its old hash',
  'two-factor': 'a password is no bind while a code is needed',
}

export const ldap = capability({
  api: [['/api/ldap', () => import('./http/routes.ts').then(({ ldapRoutes }) => ldapRoutes)]],
})
