import { eventRoutes } from './activity/routes.ts'
import { healthRoutes } from './health/routes.ts'
import { loginRoutes } from './sign-in/routes.ts'
import { adminSettingRoutes } from './settings/operator-routes.ts'
import { publicRoutes, siteRoutes } from './settings/routes.ts'
import { adminKeyRoutes } from './ssh-keys/operator-routes.ts'
import { sshKeyRoutes } from './ssh-keys/routes.ts'
import { sftpRoutes } from './ssh-keys/sftp-routes.ts'
import { sessionRoutes } from './sessions/routes.ts'
import { twoFactorRoutes } from './two-factor/routes.ts'
import { adminUserRoutes } from './users/operator-routes.ts'
import { userRoutes } from './users/profile-routes.ts'
import type { Hono } from 'hono'
import type { App } from './http/context.ts'

/** Mounts the routes of the interface; `/openapi.json` lists every path. */
export function mountApi(app: Hono<App>): void {
  app.route('/api/auth', loginRoutes)
  app.route('/api/auth/2fa', twoFactorRoutes)
  app.route('/api/me', userRoutes)
  app.route('/api/me/sshkey', sshKeyRoutes)
  app.route('/api/me/sessions', sessionRoutes)
  app.route('/api/me/events', eventRoutes)
  app.route('/api/admin/user', adminUserRoutes)
  app.route('/api/admin/user/sshkey', adminKeyRoutes)
  app.route('/api/admin/setting', adminSettingRoutes)
  app.route('/api/admin/health', healthRoutes)
  app.route('/api/sftp', sftpRoutes)
  app.route('/api/public', publicRoutes)
  app.route('/', siteRoutes)
}
