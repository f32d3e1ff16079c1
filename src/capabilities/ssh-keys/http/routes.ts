import { Hono } from 'hono'
import type { App } from '../../../web/http/context.ts'
import { ok } from '../../../web/http/envelope.ts'
import { actorOf, signedIn } from '../../../web/http/guard.ts'
import { idQuery, jsonBody, pageQuery, query } from '../../../web/http/input.ts'
import { own } from '../../../core/access/subject.ts'
import { windowOf } from '../../../core/base/paging.ts'
import { addKey, listKeys, removeKeys } from '../keys.ts'
import { keyRecords } from '../record.ts'
import { keySchema } from '../title.ts'

export const sshKeyRoutes = new Hono<App>()
  .get('/list', signedIn('guestKeys', 'account:read'), query(pageQuery), async (c) => {
    const { page, per_page: perPage } = c.req.valid('query')
    const window = windowOf(page, perPage)
    const { keys, total } = await listKeys(c.get('deps'), own(actorOf(c)), window)
    return ok(c, { content: keyRecords(keys), total })
  })
  .post(
    '/add',
    signedIn('guestKeys', 'account:write'),
    jsonBody(keySchema, 'requestInvalid'),
    async (c) => {
      const { title, key } = c.req.valid('json')
      await addKey(c.get('deps'), own(actorOf(c)), title, key)
      return ok(c, null)
    },
  )
  .post(
    '/delete',
    signedIn('guestKeys', 'account:write'),
    query(idQuery, 'idFormatInvalid'),
    async (c) => {
      await removeKeys(c.get('deps'), own(actorOf(c)), c.req.valid('query').id)
      return ok(c, null)
    },
  )
