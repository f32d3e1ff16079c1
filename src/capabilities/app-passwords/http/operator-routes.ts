import { Hono } from 'hono'
import type { App } from '../../../web/http/context.ts'
import * as v from 'valibot'
import { ok } from '../../../web/http/envelope.ts'
import { actorOf, admin } from '../../../web/http/guard.ts'
import { idQuery, integer, query } from '../../../web/http/input.ts'
import { of } from '../../../core/access/subject.ts'
import { deleteAppPassword, listAppPasswords } from '../app-passwords.ts'
import { appPasswordRecords } from '../record.ts'

const ownerQuery = v.object({ uid: integer })
const appPasswordQuery = v.object({ ...ownerQuery.entries, ...idQuery.entries })

/**
 * Routes for operators that list and delete the app passwords of any user, under
 * `/api/admin/user/token`.
 */
export const adminAppPasswordRoutes = new Hono<App>()
  .get('/list', admin(), query(ownerQuery, 'userIdFormatInvalid'), async (c) => {
    const { uid } = c.req.valid('query')
    const appPasswords = await listAppPasswords(c.get('deps'), of(actorOf(c), uid))
    return ok(c, { content: appPasswordRecords(appPasswords), total: appPasswords.length })
  })
  .post('/delete', admin(), query(appPasswordQuery, 'idFormatInvalid'), async (c) => {
    const { uid, id } = c.req.valid('query')
    await deleteAppPassword(c.get('deps'), of(actorOf(c), uid), id)
    return ok(c, null)
  })
