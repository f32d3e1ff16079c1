import { capability } from '../../web/kit/capability.ts'
import { tellClients } from './http/tell-clients.ts'

/** The capabilities that it uses, and why (`npm run rooms`). @public */
export const USES = {
  'sign-in': 'a program waits for a sign-in',
  users: 'a name that a program knew is released',
}

export const openid = capability({
  api: [
    [
      '/oauth',
      () => import('./http/routes.ts').then(({ openidRoutes }) => openidRoutes),
      ['/jwks', '/token', '/userinfo', '/revoke'],
    ],
    [
      '/.well-known',
      () => import('./http/routes.ts').then(({ discoveryRoutes }) => discoveryRoutes),
      ['/openid-configuration', '/oauth-authorization-server'],
    ],
  ],
  outerPages: [
    [
      '/oauth/authorize',
      () => import('./pages/routes.tsx').then(({ authorizePages }) => authorizePages),
    ],
    [
      '/oauth/end_session',
      () => import('./pages/routes.tsx').then(({ endSessionPages }) => endSessionPages),
    ],
  ],
  pages: [
    ['/programs', () => import('./pages/programs.tsx').then(({ programPages }) => programPages)],
  ],
  operatorPages: [
    [
      '/programs',
      () =>
        import('./pages/admin/program-routes.tsx').then(
          ({ adminProgramPages }) => adminProgramPages,
        ),
    ],
  ],
  navigation: [['/account/programs', 'programs']],
  operatorNavigation: [['/account/admin/programs', 'registered']],
  middleware: { around: [['*', tellClients]] },
  parts: () => import('./pages/parts.ts').then(({ openidParts }) => openidParts),
  undo: () => import('./pages/undo.ts').then(({ clientUndo }) => clientUndo),
  ofUser: () => import('./pages/of-user.tsx').then(({ ofUser }) => ofUser),
  readToken: () => import('./introspected.ts').then(({ readProgramToken }) => readProgramToken),
  nightly: () => import('./runs.ts').then(({ nightly }) => nightly),
  frequent: () => import('./runs.ts').then(({ frequent }) => frequent),
  afterCommand: () => import('./runs.ts').then(({ afterCommand }) => afterCommand),
})
