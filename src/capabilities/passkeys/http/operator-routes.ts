import { Hono } from 'hono'
import * as v from 'valibot'
import type { App } from '../../../web/http/context.ts'
import { ok } from '../../../web/http/envelope.ts'
import { actorOf, admin } from '../../../web/http/guard.ts'
import { integer, jsonBody, query } from '../../../web/http/input.ts'
import { of } from '../../../core/access/subject.ts'
import { text } from '../../../core/base/text.ts'
import { listPasskeys, removePasskey } from '../manage.ts'
import { operatorPasskeyRecord } from '../record.ts'

const ownerQuery = v.object({ uid: integer })
const idSchema = v.object({ id: text() })

/**
 * Routes for operators that list and remove the passkeys of any user, under
 * `/api/admin/user/passkey`.
 */
export const adminPasskeyRoutes = new Hono<App>()
  .get('/list', admin(), query(ownerQuery, 'userIdFormatInvalid'), async (c) => {
    const { uid } = c.req.valid('query')
    const passkeys = await listPasskeys(c.get('deps'), of(actorOf(c), uid))
    return ok(c, { content: passkeys.map(operatorPasskeyRecord), total: passkeys.length })
  })
  .post(
    '/delete',
    admin(),
    query(ownerQuery, 'userIdFormatInvalid'),
    jsonBody(idSchema),
    async (c) => {
      const { uid } = c.req.valid('query')
      await removePasskey(c.get('deps'), of(actorOf(c), uid), c.req.valid('json').id)
      return ok(c, null)
    },
  )
