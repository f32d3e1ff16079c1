import { capability } from '../../web/kit/capability.ts'
import { eventRoutes } from './http/routes.ts'
import { activityPages } from './pages/activity.tsx'
import { eventPages } from './pages/admin/event-routes.tsx'

/**
 * What it uses of other capabilities, and why (`npm run rooms`).
 *
 * @public
 */
export const USES = {
  sessions: 'an event names the device like a session',
  users: 'operators look for the events of a user',
}

export const activity = capability({
  api: [['/api/me/events', eventRoutes]],
  pages: [['/activity', activityPages]],
  operatorPages: [['/events', eventPages]],
  navigation: [['/account/activity', 'activity']],
  operatorNavigation: [['/account/admin/events', 'events']],
})
