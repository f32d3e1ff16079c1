import { Hono } from 'hono'
import * as v from 'valibot'
import { Refusal } from '../../../../core/base/refusals.ts'
import type { App, AppContext } from '../../../../web/http/context.ts'
import { actorOf } from '../../../../web/http/guard.ts'
import { idQuery, pageQuery, query, validate } from '../../../../web/http/input.ts'
import { invitationRequest, invitationSchema } from '../../fields.ts'
import { placeOf } from '../../http/link-place.ts'
import { createInvitation, listLinks, withdrawLink } from '../../invitations.ts'
import { confirmWith } from '../../../../web/kit/confirm.tsx'
import { timeOfDay } from '../../../../web/kit/day-field.ts'
import { attempt, type Fields, readForm } from '../../../../web/kit/form.ts'
import { showForm } from '../../../../web/kit/frames.tsx'
import { backTo, goTo, showPage } from '../../../../web/kit/view.ts'
import {
  INVITATIONS_PATH,
  invitationsAddress,
  InvitationsPage,
  MadeInvitationPage,
  NewInvitationPage,
} from './invitations.tsx'
import { permissionIn } from '../../../users/pages/admin/permission-fields.tsx'
import { adminView } from '../../../../web/kit/admin/view.ts'

const PER_PAGE = 25

const listQuery = v.object({ page: pageQuery.entries.page })

/** The pages of invitations, under `/account/admin/invitations`. */
export const invitationPages = new Hono<App>()
  .get('/', query(listQuery), (c) => showInvitations(c, c.req.valid('query').page))
  .get('/add', (c) => showNewInvitation(c))
  .post('/add', async (c) => {
    const view = await adminView(c)
    const fields = await readForm(c)
    const made = await attempt(async () => {
      const request = invitationRequest(parseInvitation(fields))
      await confirmWith(c, fields)
      return createInvitation(c.get('deps'), actorOf(c), request, placeOf(c))
    })
    if (made instanceof Refusal) return showNewInvitation(c, fields, made)
    if (made.link === '') return goTo(c, INVITATIONS_PATH, 'invitation-mailed')
    return showPage(c, <MadeInvitationPage view={view} made={made} />)
  })
  .post('/withdraw', async (c) => {
    const fields = await readForm(c)
    const refusal = await attempt(() =>
      withdrawLink(c.get('deps'), actorOf(c), validate(idQuery, fields).id),
    )
    if (refusal instanceof Refusal) return showInvitations(c, 1, refusal)
    return goTo(c, INVITATIONS_PATH, 'invitation-withdrawn')
  })
  .get('/:form', backTo(INVITATIONS_PATH))

/** @throws {Refusal} `invalidBody`. */
function parseInvitation(fields: Fields) {
  const { name, username, email, base_path, uses, account_days } = fields
  return validate(invitationSchema, {
    name,
    username,
    email,
    base_path: base_path || undefined,
    permission: permissionIn(fields, 'permission'),
    uses: numberOf(uses),
    ends_at: timeOfDay(fields['ends_at']),
    account_ends_at: timeOfDay(fields['account_ends_at']),
    account_days: numberOf(account_days),
  })
}

/** @returns Nothing for an empty text; another text than a number as it is, which is refused. */
function numberOf(text = ''): number | string | undefined {
  if (text === '') return undefined
  return /^\d+$/.test(text) ? Number(text) : text
}

async function showNewInvitation(c: AppContext, fields?: Fields, refusal?: Refusal) {
  return showForm(c, NewInvitationPage, { view: await adminView(c), fields }, refusal)
}

async function showInvitations(c: AppContext, wanted: number, refusal?: Refusal) {
  const view = await adminView(c)
  const page = Math.max(wanted, 1)
  const [deps, operator] = [c.get('deps'), actorOf(c)]
  const { links, total } = await listLinks(deps, operator, 'invitation', page, PER_PAGE)
  const pages = Math.max(1, Math.ceil(total / PER_PAGE))
  if (page > pages) return goTo(c, invitationsAddress(pages))
  return showForm(c, InvitationsPage, { view, links, page, pages }, refusal)
}
