import { capability } from '../../web/kit/capability.ts'
import { MAX_LOGOUT_ATTEMPTS } from './back-channel.ts'
import { pruneGrants, pruneLogouts } from './grant-store.ts'
import { discoveryRoutes, openidRoutes } from './http/routes.ts'
import { pruneKeys } from './keys.ts'
import { adminProgramPages } from './pages/admin/program-routes.tsx'
import { programPages } from './pages/programs.tsx'
import { authorizePages, endSessionPages } from './pages/routes.tsx'

/**
 * What it uses of other capabilities, and why (`npm run rooms`).
 *
 * @public
 */
export const USES = {
  'sign-in': 'a program waits for a sign-in',
  users: 'a name that a program knew is released',
}

export const openid = capability({
  api: [
    ['/oauth', openidRoutes],
    ['/.well-known', discoveryRoutes],
  ],
  outerPages: [
    ['/oauth/authorize', authorizePages],
    ['/oauth/end_session', endSessionPages],
  ],
  pages: [['/programs', programPages]],
  operatorPages: [['/programs', adminProgramPages]],
  navigation: [['/account/programs', 'programs']],
  operatorNavigation: [['/account/admin/programs', 'registered']],
  nightly: ({ db }, now) => ({
    grants: pruneGrants(db, now),
    logouts: pruneLogouts(db, MAX_LOGOUT_ATTEMPTS),
    keys: pruneKeys(db, now),
  }),
})
