import { capability } from '../../web/kit/capability.ts'
import { adminKeyRoutes } from './http/operator-routes.ts'
import { sshKeyRoutes } from './http/routes.ts'
import { sftpRoutes } from './http/sftp-routes.ts'
import { keyPages } from './pages/routes.tsx'

/**
 * What it uses of other capabilities, and why (`npm run rooms`).
 *
 * @public
 */
export const USES = {
  me: 'a list marks what a demanded second factor has closed',
  settings: 'an answer names the SFTP address and the contact of the operator',
  'sign-in': 'SFTPGo asks about a password like a sign-in',
  'two-factor': 'such a password is no sign-in while a code is needed',
}

export const sshKeys = capability({
  api: [
    ['/api/me/sshkey', sshKeyRoutes],
    ['/api/admin/user/sshkey', adminKeyRoutes],
    ['/api/sftp', sftpRoutes],
  ],
  pages: [['/keys', keyPages]],
  navigation: [['/account/keys', 'keys']],
})
