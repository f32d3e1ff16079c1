import { Hono } from 'hono'
import * as v from 'valibot'
import { isoTime } from '../../../core/base/time.ts'
import type { App } from '../../../web/http/context.ts'
import { ok } from '../../../web/http/envelope.ts'
import { actorOf, admin } from '../../../web/http/guard.ts'
import { idQuery, jsonBody, pageQuery, query } from '../../../web/http/input.ts'
import { invitationRequest, invitationSchema, resetLinkSchema } from '../fields.ts'
import { createInvitation, listLinks, withdrawLink } from '../invitations.ts'
import { LINK_KINDS } from '../links.ts'
import { linkRecord, madeLinkRecord } from '../record.ts'
import { createResetLink } from '../reset-links.ts'
import { approveUser, listWaiting, rejectUser } from '../waiting.ts'
import { linkPlaceOf } from './link-place.ts'

/** `kind=invitation`; without it, every kind. */
const linksQuery = v.object({
  ...pageQuery.entries,
  kind: v.optional(v.picklist(LINK_KINDS, `must be one of ${LINK_KINDS.join(', ')}`)),
})

/** Routes for operators under `/api/admin/link`. */
export const adminLinkRoutes = new Hono<App>()
  .get('/list', admin(), query(linksQuery), async (c) => {
    const { kind, page, per_page: perPage } = c.req.valid('query')
    const { links, total } = await listLinks(c.get('deps'), actorOf(c), kind, page, perPage)
    return ok(c, { content: links.map(linkRecord), total })
  })
  .post('/delete', admin(), query(idQuery, 'idFormatInvalid'), async (c) => {
    await withdrawLink(c.get('deps'), actorOf(c), c.req.valid('query').id)
    return ok(c, null)
  })

/** Routes for operators under `/api/admin/invitation`. */
export const adminInvitationRoutes = new Hono<App>().post(
  '/create',
  admin(),
  jsonBody(invitationSchema),
  async (c) => {
    const request = invitationRequest(c.req.valid('json'))
    const made = await createInvitation(c.get('deps'), actorOf(c), request, linkPlaceOf(c))
    return ok(c, madeLinkRecord(made))
  },
)

/** Routes for operators under `/api/admin/user`, beside those of `users/`. */
export const adminJoiningRoutes = new Hono<App>()
  .post('/reset_link', admin(), jsonBody(resetLinkSchema), async (c) => {
    const { id, second_factor: secondFactor, ends_at: endsAt } = c.req.valid('json')
    const request = { userId: id, secondFactor, endsAt: endsAt ?? undefined }
    const made = await createResetLink(c.get('deps'), actorOf(c), request, linkPlaceOf(c))
    return ok(c, madeLinkRecord(made))
  })
  .get('/waiting', admin(), async (c) => {
    const found = await listWaiting(c.get('deps'), actorOf(c))
    const content = found.map(({ id, username, registeredAt, network }) => ({
      id,
      username,
      registered_at: isoTime(registeredAt),
      network,
    }))
    return ok(c, { content, total: content.length })
  })
  .post('/approve', admin(), query(idQuery, 'idFormatInvalid'), async (c) => {
    await approveUser(c.get('deps'), actorOf(c), c.req.valid('query').id)
    return ok(c, null)
  })
  .post('/reject', admin(), query(idQuery, 'idFormatInvalid'), async (c) => {
    await rejectUser(c.get('deps'), actorOf(c), c.req.valid('query').id)
    return ok(c, null)
  })
