import { Hono } from 'hono'
import * as v from 'valibot'
import type { App } from '../../../web/http/context.ts'
import { ok } from '../../../web/http/envelope.ts'
import { actorOf, admin } from '../../../web/http/guard.ts'
import { integer, jsonBody, query } from '../../../web/http/input.ts'
import { of } from '../../../core/access/subject.ts'
import { text } from '../../../core/base/text.ts'
import { listIdentities, unlinkIdentity } from '../manage.ts'
import { operatorIdentityRecord } from '../record.ts'

const ownerQuery = v.object({ uid: integer })
const identitySchema = v.object({
  issuer: text(),
  subject: text(),
  last_way_in: v.optional(v.boolean(), false),
})

/**
 * Routes for operators that list and unlink the identities of any user, under
 * `/api/admin/user/identity`.
 */
export const adminIdentityRoutes = new Hono<App>()
  .get('/list', admin(), query(ownerQuery, 'userIdFormatInvalid'), async (c) => {
    const { uid } = c.req.valid('query')
    const identities = await listIdentities(c.get('deps'), of(actorOf(c), uid))
    return ok(c, { content: identities.map(operatorIdentityRecord), total: identities.length })
  })
  .post(
    '/delete',
    admin(),
    query(ownerQuery, 'userIdFormatInvalid'),
    jsonBody(identitySchema),
    async (c) => {
      const { uid } = c.req.valid('query')
      const { last_way_in: mayBeLast, ...identity } = c.req.valid('json')
      await unlinkIdentity(c.get('deps'), of(actorOf(c), uid), identity, { mayBeLast })
      return ok(c, null)
    },
  )
