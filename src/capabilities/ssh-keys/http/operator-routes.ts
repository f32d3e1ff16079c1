import { Hono } from 'hono'
import type { App } from '../../../web/http/context.ts'
import * as v from 'valibot'
import { ok } from '../../../web/http/envelope.ts'
import { actorOf, admin } from '../../../web/http/guard.ts'
import { idQuery, integer, query } from '../../../web/http/input.ts'
import { of } from '../../../core/access/subject.ts'
import { listKeys, removeKeys } from '../keys.ts'
import { keyRecords } from '../record.ts'

const ownerQuery = v.object({ uid: integer })
const keyQuery = v.object({ ...idQuery.entries, uid: v.optional(integer) })

/** Routes for operators that list and remove the keys of any user, under `/api/admin/user/sshkey`. */
export const adminKeyRoutes = new Hono<App>()
  .get('/list', admin(), query(ownerQuery, 'userIdFormatInvalid'), async (c) => {
    const { uid } = c.req.valid('query')
    const { keys, total } = await listKeys(c.get('deps'), of(actorOf(c), uid))
    return ok(c, { content: keyRecords(keys), total })
  })
  .post('/delete', admin(), query(keyQuery, 'idFormatInvalid'), async (c) => {
    const { id, uid } = c.req.valid('query')
    await removeKeys(c.get('deps'), of(actorOf(c), uid), id)
    return ok(c, null)
  })
