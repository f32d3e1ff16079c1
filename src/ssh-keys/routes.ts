import { Hono } from 'hono'
import type { App } from '../http/context.ts'
import * as v from 'valibot'
import { isoTime, ok } from '../http/envelope.ts'
import { guard, notGuest, sessionOf } from '../http/guard.ts'
import { idQuery, jsonBody, pageQuery, query } from '../http/input.ts'
import { text } from '../base/text.ts'
import { addKey, listKeys, removeKey } from './keys.ts'
import { titleSchema } from './title.ts'

/** A key to add. */
export const keySchema = v.object({
  title: titleSchema,
  key: text(),
})

export const sshKeyRoutes = new Hono<App>()
  .get('/list', guard, notGuest('guestKeys'), query(pageQuery), async (c) => {
    const { page, per_page: perPage } = c.req.valid('query')
    const { keys, total } = await listKeys(c.get('deps'), sessionOf(c, 'guestKeys'), page, perPage)
    return ok(c, {
      content: keyRecords(keys),
      total,
    })
  })
  .post('/add', guard, notGuest('guestKeys'), jsonBody(keySchema, 'requestInvalid'), async (c) => {
    const { title, key } = c.req.valid('json')
    await addKey(c.get('deps'), sessionOf(c, 'guestKeys'), title, key)
    return ok(c, null)
  })
  .post('/delete', guard, notGuest('guestKeys'), query(idQuery, 'idFormatInvalid'), async (c) => {
    await removeKey(c.get('deps'), sessionOf(c, 'guestKeys'), c.req.valid('query').id)
    return ok(c, null)
  })

/** Keys as every list shows them. */
export function keyRecords(keys: Awaited<ReturnType<typeof listKeys>>['keys']) {
  return keys.map((key) => ({
    id: key.id,
    title: key.title,
    fingerprint: key.fingerprint,
    added_time: isoTime(key.addedAt),
    last_used_time: isoTime(key.lastUsedAt),
  }))
}
