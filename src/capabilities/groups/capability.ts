import { capability } from '../../web/kit/capability.ts'
import { foldersAfterRequests } from './http/after-requests.ts'

/** The capabilities that it uses, and why (`npm run rooms`). @public */
export const USES = {
  files: 'the rights of users in folders are written to the file server',
}

export const groups = capability({
  api: [
    ['/api/admin/group', () => import('./http/routes.ts').then(({ groupRoutes }) => groupRoutes)],
    [
      '/api/admin/folder_rule',
      () => import('./http/rule-routes.ts').then(({ folderRuleRoutes }) => folderRuleRoutes),
    ],
    [
      '/api/me/groups',
      () => import('./http/own-routes.ts').then(({ ownGroupRoutes }) => ownGroupRoutes),
    ],
  ],
  middleware: { around: [['*', foldersAfterRequests]] },
  operatorPages: [
    [
      '/groups',
      () => import('./pages/admin/group-routes.tsx').then(({ groupPages }) => groupPages),
    ],
    [
      '/folders',
      () => import('./pages/admin/folder-routes.tsx').then(({ folderPages }) => folderPages),
    ],
  ],
  operatorNavigation: [
    ['/account/admin/groups', 'groups'],
    ['/account/admin/folders', 'folders'],
  ],
  attention: () =>
    import('./pages/admin/attention.tsx').then(({ findWaitingFolders }) => findWaitingFolders),
  ofUser: () => import('./pages/of-user.tsx').then(({ ofUser }) => ofUser),
  frequent: () => import('./runs.ts').then(({ frequent }) => frequent),
  fileGuard: () => import('./http/guard.ts').then(({ guardFiles }) => guardFiles),
})
