import { Hono } from 'hono'
import type { App } from '../../../web/http/context.ts'
import * as v from 'valibot'
import { of } from '../../../core/access/subject.ts'
import { ok } from '../../../web/http/envelope.ts'
import { actorOf, admin } from '../../../web/http/guard.ts'
import { languageOf } from '../../../web/http/language.ts'
import { idQuery, jsonBody, pageQuery, query } from '../../../web/http/input.ts'
import { Refusal } from '../../../core/base/refusals.ts'
import { possiblyEmptyText, text } from '../../../core/base/text.ts'
import { findUser, getUser, listUsers } from '../find-users.ts'
import { cancelUserTwoFactor, changeUser, createUser, removeUser } from '../manage-users.ts'
import {
  basePathSchema,
  permissionSchema,
  ssoIdSchema,
  userIdSchema,
} from '../../../core/accounts/fields.ts'
import { changeDetails, detailsSchema, readDetails } from '../details.ts'
import { detailsRecord, userRecord } from '../record.ts'
import { usernameSchema } from '../../../core/accounts/username.ts'
import { reason } from '../../../core/base/reasons.ts'

/**
 * The fields of the stock client's request that an operator may set. The client sends back every
 * field that it received, and the others are ignored.
 */
const fields = {
  password: v.nullish(possiblyEmptyText()),
  base_path: v.nullish(basePathSchema),
  role: v.nullish(v.number()),
  disabled: v.nullish(v.boolean()),
  permission: v.nullish(permissionSchema),
  sso_id: v.nullish(ssoIdSchema),
}
const createSchema = v.object({ username: usernameSchema, ...fields })
const updateSchema = v.object({
  id: userIdSchema,
  username: v.nullish(usernameSchema),
  ...fields,
})

/** `id=7&passkeys=true` */
const cancelQuery = v.object({
  ...idQuery.entries,
  passkeys: v.optional(v.picklist(['true', 'false'], reason('boolean')), 'false'),
})
const usernameQuery = v.object({ username: text() })

/** Routes for operators that manage users, under `/api/admin/user`. */
export const adminUserRoutes = new Hono<App>()
  .get('/list', admin(), query(pageQuery), async (c) => {
    const { page, per_page: perPage } = c.req.valid('query')
    const { users, total } = await listUsers(c.get('deps'), actorOf(c), page, perPage)
    return ok(c, { content: users.map(userRecord), total })
  })
  .get('/get', admin(), query(idQuery, 'idFormatInvalid'), async (c) => {
    const { id } = c.req.valid('query')
    return ok(c, userRecord(await getUser(c.get('deps'), actorOf(c), id)))
  })
  .post('/create', admin(), jsonBody(createSchema), async (c) => {
    const body = c.req.valid('json')
    const user = { ...requestOf(body), username: body.username }
    await createUser(c.get('deps'), actorOf(c), user)
    return ok(c, null)
  })
  .post('/update', admin(), jsonBody(updateSchema), async (c) => {
    const { id, username, ...body } = c.req.valid('json')
    const request = { ...requestOf(body), ...(typeof username === 'string' && { username }) }
    await changeUser(c.get('deps'), actorOf(c), id, request)
    return ok(c, null)
  })
  .post('/delete', admin(), query(idQuery, 'idFormatInvalid'), async (c) => {
    await removeUser(c.get('deps'), actorOf(c), c.req.valid('query').id)
    return ok(c, null)
  })
  .post('/cancel_2fa', admin(), query(cancelQuery, 'idFormatInvalid'), async (c) => {
    const { id, passkeys } = c.req.valid('query')
    const options = { withPasskeys: passkeys === 'true' }
    await cancelUserTwoFactor(c.get('deps'), actorOf(c), id, options)
    return ok(c, null)
  })
  .get('/details', admin(), query(idQuery, 'idFormatInvalid'), async (c) => {
    const { id } = c.req.valid('query')
    const { details } = await readDetails(c.get('deps'), of(actorOf(c), id))
    return ok(c, detailsRecord(details))
  })
  .post('/details', admin(), jsonBody(detailsSchema), async (c) => {
    const { id, email, ends_at: endsAt } = c.req.valid('json')
    await changeDetails(c.get('deps'), actorOf(c), id, { email, endsAt }, languageOf(c))
    return ok(c, null)
  })
  .post('/del_cache', admin(), query(usernameQuery), async (c) => {
    const { username } = c.req.valid('query')
    const user = await findUser(c.get('deps'), actorOf(c), username)
    if (user === undefined) throw new Refusal('userNotFound')
    // Users are read from D1 each time, so no cache can be stale.
    return ok(c, null)
  })

/** Returns the fields that the request sets. A missing or null field stays unchanged. */
function requestOf(body: Omit<v.InferOutput<typeof createSchema>, 'username'>) {
  return {
    ...(typeof body.password === 'string' && { password: body.password }),
    ...(typeof body.base_path === 'string' && { basePath: body.base_path }),
    ...(typeof body.role === 'number' && { expectedRole: body.role }),
    ...(typeof body.disabled === 'boolean' && { disabled: body.disabled }),
    ...(typeof body.permission === 'number' && { permission: body.permission }),
    ...(typeof body.sso_id === 'string' && { ssoId: body.sso_id }),
  }
}
