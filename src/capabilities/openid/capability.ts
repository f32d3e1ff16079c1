import { capability } from '../../web/kit/capability.ts'
import {
  MAX_LOGOUT_ATTEMPTS,
  selectAnyLogout,
  sendAllLogouts,
  sendLogouts,
} from './back-channel.ts'
import { pruneGrants, pruneLogouts } from './grant-store.ts'
import { discoveryRoutes, openidRoutes } from './http/routes.ts'
import { readProgramToken } from './introspected.ts'
import { tellClients } from './http/tell-clients.ts'
import { forgetKeySet, pruneKeys } from './keys.ts'
import { findAsking } from './pages/asking.ts'
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
  middleware: { around: [['*', tellClients]] },
  async nightly({ deps, now, batch }) {
    const { db } = deps
    await batch.add({
      grants: pruneGrants(db, now),
      logouts: pruneLogouts(db, MAX_LOGOUT_ATTEMPTS),
      keys: pruneKeys(db, now),
    })
    // Ending expired sessions may have written more logouts.
    await sendAllLogouts(deps)
  },
  async frequent({ deps, now, batch }) {
    const { logout } = await batch.add({ logout: selectAnyLogout(deps.db, now) })
    if (logout.length > 0) await sendLogouts(deps)
  },
  parts: { asking: findAsking },
  readToken: readProgramToken,
  // The command may have made a signing key.
  async afterCommand(deps) {
    forgetKeySet(deps)
  },
})
