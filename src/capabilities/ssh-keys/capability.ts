import { capability } from '../../web/kit/capability.ts'

/** The capabilities that it uses, and why (`npm run rooms`). @public */
export const USES = {
  me: 'a list marks what a demanded second factor has closed',
  settings: 'an answer names the SFTP address and the contact of the operator',
  'sign-in': 'SFTPGo asks about a password like a sign-in',
  'two-factor': 'such a password is no sign-in while a code is needed',
}

export const sshKeys = capability({
  api: [
    ['/api/me/sshkey', () => import('./http/routes.ts').then(({ sshKeyRoutes }) => sshKeyRoutes)],
    [
      '/api/admin/user/sshkey',
      () => import('./http/operator-routes.ts').then(({ adminKeyRoutes }) => adminKeyRoutes),
    ],
    ['/api/sftp', () => import('./http/sftp-routes.ts').then(({ sftpRoutes }) => sftpRoutes)],
  ],
  pages: [['/keys', () => import('./pages/routes.tsx').then(({ keyPages }) => keyPages)]],
  undo: () => import('./pages/undo.ts').then(({ keyUndo }) => keyUndo),
  ofUser: () => import('./pages/of-user.tsx').then(({ ofUser }) => ofUser),
  navigation: [['/account/keys', 'keys']],
})
