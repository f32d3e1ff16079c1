import { Hono } from 'hono'
import * as v from 'valibot'
import { userIdSchema } from '../../../core/accounts/fields.ts'
import type { App } from '../../../web/http/context.ts'
import { ok } from '../../../web/http/envelope.ts'
import { actorOf, admin } from '../../../web/http/guard.ts'
import { idQuery, integer, jsonBody, pageQuery, query } from '../../../web/http/input.ts'
import { adoptFolder } from '../adopt.ts'
import { checkFolder } from '../check.ts'
import { changeRule, createRule, listRules, removeRule } from '../folder-rules.ts'
import { moveFolder } from '../move.ts'
import { checkRecord, ruleRecord } from '../record.ts'
import { syncFolders } from '../sync.ts'

const text = v.nullish(v.string())

/** `path=/photos&group=editors&uid=7&page=1&per_page=10` */
const listQuery = v.object({
  path: v.optional(v.string()),
  group: v.optional(v.string()),
  uid: v.optional(integer),
  ...pageQuery.entries,
})
/** `uid=7&path=/photos` */
const checkQuery = v.object({ uid: integer, path: v.optional(v.string()) })

const createSchema = v.object({
  path: text,
  group: text,
  uid: v.nullish(userIdSchema),
  access: text,
})
const adoptSchema = v.object({ path: text })
const moveSchema = v.object({ path: text, to: text })
const updateSchema = v.object({ id: userIdSchema, access: text })

/** Routes for folder rules, under `/api/admin/folder_rule`. */
export const folderRuleRoutes = new Hono<App>()
  .get('/list', admin(), query(listQuery), async (c) => {
    const { page, per_page: perPage, uid, ...others } = c.req.valid('query')
    const filter = { ...others, userId: uid }
    const { rules, total } = await listRules(c.get('deps'), actorOf(c), filter, page, perPage)
    return ok(c, { content: rules.map(ruleRecord), total })
  })
  .post('/create', admin(), jsonBody(createSchema), async (c) => {
    const { id, waiting, warnings } = await createRule(
      c.get('deps'),
      actorOf(c),
      c.req.valid('json'),
    )
    return ok(c, { id, waiting, warnings })
  })
  .post('/update', admin(), jsonBody(updateSchema), async (c) => {
    const { id, access } = c.req.valid('json')
    return ok(c, { waiting: await changeRule(c.get('deps'), actorOf(c), id, access) })
  })
  .post('/delete', admin(), query(idQuery, 'idFormatInvalid'), async (c) => {
    const { id } = c.req.valid('query')
    return ok(c, { waiting: await removeRule(c.get('deps'), actorOf(c), id) })
  })
  .get('/check', admin(), query(checkQuery, 'userIdFormatInvalid'), async (c) => {
    const { uid, path } = c.req.valid('query')
    return ok(c, checkRecord(await checkFolder(c.get('deps'), actorOf(c), uid, path)))
  })
  .post('/adopt', admin(), jsonBody(adoptSchema), async (c) => {
    const { path } = c.req.valid('json')
    const { rules, waiting } = await adoptFolder(c.get('deps'), actorOf(c), path)
    return ok(c, { rules, waiting })
  })
  .post('/move', admin(), jsonBody(moveSchema), async (c) => {
    return ok(c, { waiting: await moveFolder(c.get('deps'), actorOf(c), c.req.valid('json')) })
  })
  .post('/sync', admin(), async (c) => {
    const { folders, written, waiting } = await syncFolders(c.get('deps'), actorOf(c))
    return ok(c, { folders, written, waiting })
  })
