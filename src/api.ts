import { forwardAuthRoutes } from './capabilities/app-passwords/http/forward-auth-routes.ts'
import { introspectionRoutes } from './capabilities/app-passwords/http/introspection-routes.ts'
import { adminAppPasswordRoutes } from './capabilities/app-passwords/http/operator-routes.ts'
import { appPasswordRoutes } from './capabilities/app-passwords/http/routes.ts'
import { eventRoutes } from './capabilities/activity/http/routes.ts'
import { discoveryRoutes, openidRoutes } from './capabilities/openid/http/routes.ts'
import { getHasEffect } from './web/http/http-methods.ts'
import { healthRoutes } from './capabilities/health/http/routes.ts'
import { forgottenRoutes } from './capabilities/joining/http/forgotten-routes.ts'
import { emailRoutes } from './capabilities/joining/http/email-routes.ts'
import { ldapRoutes } from './capabilities/ldap/http/routes.ts'
import { loginRoutes } from './capabilities/sign-in/http/routes.ts'
import { adminSettingRoutes } from './capabilities/settings/http/operator-routes.ts'
import { publicRoutes, siteRoutes } from './capabilities/settings/http/routes.ts'
import { adminNoticeRoutes } from './capabilities/notices/http/operator-routes.ts'
import {
  adminInvitationRoutes,
  adminJoiningRoutes,
  adminLinkRoutes,
} from './capabilities/joining/http/operator-routes.ts'
import { joiningRoutes } from './capabilities/joining/http/registration-routes.ts'
import { noticeRoutes } from './capabilities/notices/http/routes.ts'
import { adminKeyRoutes } from './capabilities/ssh-keys/http/operator-routes.ts'
import { adminPasskeyRoutes } from './capabilities/passkeys/http/operator-routes.ts'
import { passkeyRoutes } from './capabilities/passkeys/http/routes.ts'
import { adminIdentityRoutes } from './capabilities/sso/http/operator-routes.ts'
import { createSsoRoutes, type SsoPages } from './capabilities/sso/http/routes.ts'
import { sshKeyRoutes } from './capabilities/ssh-keys/http/routes.ts'
import { sftpRoutes } from './capabilities/ssh-keys/http/sftp-routes.ts'
import { sessionRoutes } from './capabilities/sessions/http/routes.ts'
import { forgetProvenIdentity } from './capabilities/sso/http/proven-identity.ts'
import { twoFactorRoutes } from './capabilities/two-factor/http/routes.ts'
import { adminUserRoutes } from './capabilities/users/http/operator-routes.ts'
import { userRoutes } from './capabilities/me/http/profile-routes.ts'
import type { Hono } from 'hono'
import type { App } from './web/http/context.ts'

/**
 * Mounts the routes of the interface; `/openapi.json` lists every path.
 *
 * @param ssoPages The pages of the routes that browsers open.
 */
export function mountApi(app: Hono<App>, ssoPages: SsoPages): void {
  app.get('/api/auth/logout', getHasEffect, forgetProvenIdentity)
  app.route('/api/auth', loginRoutes)
  app.route('/api/auth', createSsoRoutes(ssoPages))
  app.route('/api/auth', joiningRoutes)
  app.route('/api/auth/2fa', twoFactorRoutes)
  app.route('/api/authn', passkeyRoutes)
  app.route('/api/auth', forgottenRoutes)
  app.route('/api/me', userRoutes)
  app.route('/api/me', emailRoutes)
  app.route('/api/me/sshkey', sshKeyRoutes)
  app.route('/api/me/sessions', sessionRoutes)
  app.route('/api/me/events', eventRoutes)
  app.route('/api/me/tokens', appPasswordRoutes)
  app.route('/api/me/notices', noticeRoutes)
  app.route('/api/admin/notice', adminNoticeRoutes)
  app.route('/api/admin/user', adminUserRoutes)
  app.route('/api/admin/user', adminJoiningRoutes)
  app.route('/api/admin/link', adminLinkRoutes)
  app.route('/api/admin/invitation', adminInvitationRoutes)
  app.route('/api/admin/user/sshkey', adminKeyRoutes)
  app.route('/api/admin/user/passkey', adminPasskeyRoutes)
  app.route('/api/admin/user/identity', adminIdentityRoutes)
  app.route('/api/admin/user/token', adminAppPasswordRoutes)
  app.route('/api/admin/setting', adminSettingRoutes)
  app.route('/api/admin/health', healthRoutes)
  app.route('/api/sftp', sftpRoutes)
  app.route('/api/ldap', ldapRoutes)
  app.route('/api/forward_auth', forwardAuthRoutes)
  app.route('/oauth', introspectionRoutes)
  app.route('/oauth', openidRoutes)
  app.route('/.well-known', discoveryRoutes)
  app.route('/api/public', publicRoutes)
  app.route('/', siteRoutes)
}
