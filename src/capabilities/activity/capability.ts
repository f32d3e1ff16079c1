import { capability } from '../../web/kit/capability.ts'

/** The capabilities that it uses, and why (`npm run rooms`). @public */
export const USES = {
  settings: 'the pages say how long events are kept',
  sessions: 'an event names the device like a session',
  users: 'operators look for the events of a user',
}

export const activity = capability({
  api: [
    ['/api/me/events', () => import('./http/routes.ts').then(({ eventRoutes }) => eventRoutes)],
  ],
  pages: [
    ['/activity', () => import('./pages/activity.tsx').then(({ activityPages }) => activityPages)],
  ],
  operatorPages: [
    [
      '/events',
      () => import('./pages/admin/event-routes.tsx').then(({ eventPages }) => eventPages),
    ],
  ],
  navigation: [['/account/activity', 'activity']],
  operatorNavigation: [['/account/admin/events', 'events']],
})
