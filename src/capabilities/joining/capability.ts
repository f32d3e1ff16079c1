import { capability } from '../../web/kit/capability.ts'

/** The capabilities that it uses, and why (`npm run rooms`). @public */
export const USES = {
  mail: 'links and what they did are mailed',
  settings: 'who may register',
  'sign-in': 'a new password signs its user in',
  'two-factor': 'an operator’s link takes two-step verification off',
  users: 'an invitation gives permissions; address and page of a user',
}

export const joining = capability({
  api: [
    [
      '/api/auth',
      () => import('./http/registration-routes.ts').then(({ joiningRoutes }) => joiningRoutes),
      ['/register'],
    ],
    [
      '/api/auth',
      () => import('./http/forgotten-routes.ts').then(({ forgottenRoutes }) => forgottenRoutes),
      ['/forgotten', '/reset'],
    ],
    [
      '/api/me',
      () => import('./http/email-routes.ts').then(({ emailRoutes }) => emailRoutes),
      ['/email'],
    ],
    [
      '/api/admin/user',
      () =>
        import('./http/operator-routes.ts').then(({ adminJoiningRoutes }) => adminJoiningRoutes),
      ['/reset_link', '/waiting', '/approve', '/reject'],
    ],
    [
      '/api/admin/link',
      () => import('./http/operator-routes.ts').then(({ adminLinkRoutes }) => adminLinkRoutes),
    ],
    [
      '/api/admin/invitation',
      () =>
        import('./http/operator-routes.ts').then(
          ({ adminInvitationRoutes }) => adminInvitationRoutes,
        ),
    ],
  ],
  publicPages: [
    [
      '/',
      () => import('./pages/routes.tsx').then(({ joiningPages }) => joiningPages),
      ['/link', '/register', '/forgotten'],
    ],
  ],
  pages: [
    [
      '/welcome',
      () => import('./pages/welcome-routes.tsx').then(({ welcomePages }) => welcomePages),
    ],
    ['/email', () => import('./pages/own-email-routes.tsx').then(({ emailPages }) => emailPages)],
  ],
  operatorPages: [
    [
      '/invitations',
      () =>
        import('./pages/admin/invitation-routes.tsx').then(
          ({ invitationPages }) => invitationPages,
        ),
    ],
  ],
  operatorNavigation: [['/account/admin/invitations', 'invitations']],
  undo: () => import('./pages/undo.ts').then(({ invitationUndo }) => invitationUndo),
  ofUser: () => import('./pages/of-user.tsx').then(({ ofUser }) => ofUser),
  parts: () => import('./pages/parts.tsx').then(({ joiningParts }) => joiningParts),
  nightly: () => import('./runs.ts').then(({ nightly }) => nightly),
  makeMails: () => import('./forgotten.ts').then(({ makeMails }) => makeMails),
})
