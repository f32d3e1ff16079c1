import { capability } from '../../web/kit/capability.ts'
import { dueMailParts, sendTaken } from '../mail/send.ts'
import { becomeMails } from './forgotten.ts'
import { mailsAfterRequests } from './http/after-requests.ts'
import { emailRoutes } from './http/email-routes.ts'
import { forgottenRoutes } from './http/forgotten-routes.ts'
import {
  adminInvitationRoutes,
  adminJoiningRoutes,
  adminLinkRoutes,
} from './http/operator-routes.ts'
import { joiningRoutes } from './http/registration-routes.ts'
import { pruneLinks } from './link-store.ts'
import { nearEndParts } from './near-ends.ts'
import { invitationPages } from './pages/admin/invitation-routes.tsx'
import { emailPages } from './pages/own-email-routes.tsx'
import { joiningParts } from './pages/parts.tsx'
import { joiningPages } from './pages/routes.tsx'
import { welcomePages } from './pages/welcome-routes.tsx'

/**
 * What it uses of other capabilities, and why (`npm run rooms`).
 *
 * @public
 */
export const USES = {
  mail: 'links and what they did are mailed',
  settings: 'who may register',
  'sign-in': 'a new password signs its user in',
  'two-factor': 'an operator’s link takes two-step verification off',
  users: 'an invitation gives permissions',
}

export const joining = capability({
  api: [
    ['/api/auth', joiningRoutes],
    ['/api/auth', forgottenRoutes],
    ['/api/me', emailRoutes],
    ['/api/admin/user', adminJoiningRoutes],
    ['/api/admin/link', adminLinkRoutes],
    ['/api/admin/invitation', adminInvitationRoutes],
  ],
  publicPages: [['/', joiningPages]],
  pages: [
    ['/welcome', welcomePages],
    ['/email', emailPages],
  ],
  operatorPages: [['/invitations', invitationPages]],
  operatorNavigation: [['/account/admin/invitations', 'invitations']],
  parts: joiningParts,
  middleware: { around: [['*', mailsAfterRequests]] },
  nightly: ({ deps, now, batch }) =>
    batch.add({ links: pruneLinks(deps.db, now), ...nearEndParts(deps, now) }),
  async frequent({ deps, now, batch }) {
    const { expiredMails, dueMails } = await batch.add(dueMailParts(deps, now))
    await sendTaken(deps, expiredMails, dueMails, becomeMails(deps))
  },
})
