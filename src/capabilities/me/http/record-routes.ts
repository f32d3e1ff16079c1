import { Hono } from 'hono'
import type { App } from '../../../web/http/context.ts'
import { ok } from '../../../web/http/envelope.ts'
import { anyCaller } from '../../../web/http/guard.ts'
import { readAccountAs } from '../../../core/access/read-account.ts'
import { toConfirm } from '../../../core/access/leniency.ts'
import { userRecord } from '../../users/record.ts'

/** One’s own account, at `/api/me`. */
export const recordRoutes = new Hono<App>().get('/', anyCaller('account:read'), async (c) => {
  const caller = c.get('caller')
  if ('guest' in caller) return ok(c, userRecord(caller.guest))
  // The web client asks this first, and has no page for a session that lacks a second factor.
  const actor = c.get('isByMarker') === true ? caller.actor : toConfirm(caller.actor)
  const account = await readAccountAs(c.get('deps'), actor)
  return ok(c, userRecord(account))
})
