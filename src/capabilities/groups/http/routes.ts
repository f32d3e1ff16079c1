import { Hono } from 'hono'
import * as v from 'valibot'
import { userIdSchema } from '../../../core/accounts/fields.ts'
import type { App } from '../../../web/http/context.ts'
import { ok } from '../../../web/http/envelope.ts'
import { actorOf, admin } from '../../../web/http/guard.ts'
import { idQuery, integer, jsonBody, pageQuery, query } from '../../../web/http/input.ts'
import { changeGroup, createGroup, deleteGroup, getGroup, listGroups } from '../manage-groups.ts'
import { addMembers, listMembers, removeMembers } from '../members.ts'
import { groupRecord, memberRecord } from '../record.ts'

/** `uid=7&page=1&per_page=10` */
const listQuery = v.object({ uid: v.optional(integer), ...pageQuery.entries })
/** `id=7&page=1&per_page=10` */
const memberQuery = v.object({ ...idQuery.entries, ...pageQuery.entries })

const fields = { name: v.nullish(v.string()), note: v.nullish(v.string()) }
const createSchema = v.object(fields)
const updateSchema = v.object({ id: userIdSchema, ...fields })
const membersSchema = v.object({ id: userIdSchema, users: v.nullish(v.array(userIdSchema)) })

/** Routes for groups and their members, under `/api/admin/group`. */
export const groupRoutes = new Hono<App>()
  .get('/list', admin(), query(listQuery), async (c) => {
    const { uid, page, per_page: perPage } = c.req.valid('query')
    const { groups, total } = await listGroups(c.get('deps'), actorOf(c), uid, page, perPage)
    return ok(c, { content: groups.map(groupRecord), total })
  })
  .get('/get', admin(), query(idQuery, 'idFormatInvalid'), async (c) => {
    const { id } = c.req.valid('query')
    return ok(c, groupRecord(await getGroup(c.get('deps'), actorOf(c), { id })))
  })
  .post('/create', admin(), jsonBody(createSchema), async (c) => {
    const id = await createGroup(c.get('deps'), actorOf(c), c.req.valid('json'))
    return ok(c, { id })
  })
  .post('/update', admin(), jsonBody(updateSchema), async (c) => {
    const { id, ...given } = c.req.valid('json')
    await changeGroup(c.get('deps'), actorOf(c), id, given)
    return ok(c, null)
  })
  .post('/delete', admin(), query(idQuery, 'idFormatInvalid'), async (c) => {
    await deleteGroup(c.get('deps'), actorOf(c), c.req.valid('query').id)
    return ok(c, null)
  })
  .get('/member/list', admin(), query(memberQuery), async (c) => {
    const { id, page, per_page: perPage } = c.req.valid('query')
    const { members, total } = await listMembers(c.get('deps'), actorOf(c), id, page, perPage)
    return ok(c, { content: members.map(memberRecord), total })
  })
  .post('/member/add', admin(), jsonBody(membersSchema), async (c) => {
    const { id, users } = c.req.valid('json')
    await addMembers(c.get('deps'), actorOf(c), id, users)
    return ok(c, null)
  })
  .post('/member/remove', admin(), jsonBody(membersSchema), async (c) => {
    const { id, users } = c.req.valid('json')
    await removeMembers(c.get('deps'), actorOf(c), id, users)
    return ok(c, null)
  })
