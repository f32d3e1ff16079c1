import { capability } from '../../web/kit/capability.ts'
import { adminKeyRoutes } from './http/operator-routes.ts'
import { sshKeyRoutes } from './http/routes.ts'
import { sftpRoutes } from './http/sftp-routes.ts'
import { keyPages } from './pages/routes.tsx'

export const sshKeys = capability({
  api: [
    ['/api/me/sshkey', sshKeyRoutes],
    ['/api/admin/user/sshkey', adminKeyRoutes],
    ['/api/sftp', sftpRoutes],
  ],
  pages: [['/keys', keyPages]],
  navigation: [['/account/keys', 'keys']],
})
