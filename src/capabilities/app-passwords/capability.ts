import { capability } from '../../web/kit/capability.ts'
import { DAY_MILLISECONDS } from '../../core/base/time.ts'
import { pruneAppPasswords } from '../../core/access/app-password-store.ts'
import { countDeadAppPasswords } from './http/count-dead.ts'
import { forwardAuthRoutes } from './http/forward-auth-routes.ts'
import { introspectionRoutes } from './http/introspection-routes.ts'
import { adminAppPasswordRoutes } from './http/operator-routes.ts'
import { appPasswordRoutes } from './http/routes.ts'
import { appPasswordPages } from './pages/app-passwords-routes.tsx'

/**
 * What it uses of other capabilities, and why (`npm run rooms`).
 *
 * @public
 */
export const USES = {
  me: 'a list marks what a demanded second factor has closed',
  settings: 'a new app password comes with the SFTP address',
  'ssh-keys': 'and with the command for it',
  users: 'operators see them on the page of a user',
}

/** Until then the owner sees in the list why a program stopped working. */
const EXPIRED_APP_PASSWORD_MILLISECONDS = 30 * DAY_MILLISECONDS

export const appPasswords = capability({
  api: [
    ['/api/me/tokens', appPasswordRoutes],
    ['/api/admin/user/token', adminAppPasswordRoutes],
    ['/api/forward_auth', forwardAuthRoutes],
    ['/oauth', introspectionRoutes],
  ],
  pages: [['/app-passwords', appPasswordPages]],
  navigation: [['/account/app-passwords', 'app-passwords']],
  middleware: {
    around: [
      ['/api/*', countDeadAppPasswords],
      ['/dav/*', countDeadAppPasswords],
    ],
  },
  nightly: ({ deps: { db }, now, batch }) =>
    batch.add({ expired: pruneAppPasswords(db, now - EXPIRED_APP_PASSWORD_MILLISECONDS) }),
})
