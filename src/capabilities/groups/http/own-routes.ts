import { Hono } from 'hono'
import type { App } from '../../../web/http/context.ts'
import { ok } from '../../../web/http/envelope.ts'
import { actorOf, signedIn } from '../../../web/http/guard.ts'
import { listOwnGroups } from '../own-groups.ts'

/** A user's own groups, at `/api/me/groups`. */
export const ownGroupRoutes = new Hono<App>().get(
  '/',
  signedIn('guestGroups', 'account:read'),
  async (c) => {
    const names = await listOwnGroups(c.get('deps'), actorOf(c))
    return ok(c, { content: names, total: names.length })
  },
)
