import { Hono } from 'hono'
import * as v from 'valibot'
import type { App } from '../http/context.ts'
import { isoTime, ok } from '../http/envelope.ts'
import { guard, notGuest, sessionOf } from '../http/guard.ts'
import { idQuery, jsonBody, pageQuery, query } from '../http/input.ts'
import { maxCharacters, noControlCharacters, text } from '../text.ts'
import { addKey, listKeys, removeKey } from './keys.ts'
import { isPrivateKey } from './pasted.ts'

const MAX_TITLE_CHARACTERS = 255

/** A key to add. */
export const keySchema = v.object({
  title: v.pipe(
    text(),
    maxCharacters(MAX_TITLE_CHARACTERS),
    noControlCharacters(),
    // A browser puts what was pasted into the wrong field on one line; a title is shown and logged.
    v.check((title) => !isPrivateKey(title), 'must not be a private key'),
  ),
  key: text(),
})

export const sshKeyRoutes = new Hono<App>()
  .get('/list', guard, notGuest('guestKeys'), query(pageQuery), async (c) => {
    const { page, per_page: perPage } = c.req.valid('query')
    const { keys, total } = await listKeys(c.var.deps, sessionOf(c, 'guestKeys'), page, perPage)
    return ok(c, {
      content: keyRecords(keys),
      total,
    })
  })
  .post('/add', guard, notGuest('guestKeys'), jsonBody(keySchema, 'requestInvalid'), async (c) => {
    const { title, key } = c.req.valid('json')
    await addKey(c.var.deps, sessionOf(c, 'guestKeys'), title, key)
    return ok(c, null)
  })
  .post('/delete', guard, notGuest('guestKeys'), query(idQuery, 'idFormatInvalid'), async (c) => {
    await removeKey(c.var.deps, sessionOf(c, 'guestKeys'), c.req.valid('query').id)
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
