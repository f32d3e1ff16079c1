import * as v from 'valibot'
import { of, read } from '../../../../core/access/subject.ts'
import { selectOpenFolders } from '../../../../core/accounts/groups.ts'
import type { AppContext } from '../../../../web/http/context.ts'
import { actorOf } from '../../../../web/http/guard.ts'
import { idQuery, pageQuery, query, validate } from '../../../../web/http/input.ts'
import { action, formsOf } from '../../../../web/kit/action.ts'
import { adminView } from '../../../../web/kit/admin/view.ts'
import { timeOfDay } from '../../../../web/kit/day-field.ts'
import type { Fields, Refused } from '../../../../web/kit/form.ts'
import { languageOf } from '../../../../web/kit/language.ts'
import { showForm } from '../../../../web/kit/frames.tsx'
import { undoable } from '../../../../web/kit/undo.ts'
import { goTo, showPage } from '../../../../web/kit/view.ts'
import { permissionIn } from '../../../users/pages/admin/permission-fields.tsx'
import { hasMailSite } from '../../../mail/mail-site.ts'
import { invitationRequest, invitationSchema } from '../../fields.ts'
import { linkPlaceOf } from '../../http/link-place.ts'
import {
  createInvitation,
  listLinks,
  mailInvitationAgain,
  withdrawLink,
} from '../../invitations.ts'
import {
  groupsIn,
  INVITATIONS_PATH,
  invitationsAddress,
  InvitationsPage,
  MadeInvitationPage,
  NewInvitationPage,
} from './invitations.tsx'

const PER_PAGE = 25

const listQuery = v.object({ page: pageQuery.entries.page })

/** The pages of invitations, under `/account/admin/invitations`. */
export const invitationPages = formsOf(INVITATIONS_PATH, showInvitations, {
  add: action({
    page: showNewInvitation,
    reads: (fields, c) => invitationRequest(parseInvitation(fields, hasMailSite(c.get('deps')))),
    confirms: true,
    run: (c, request) => createInvitation(c.get('deps'), actorOf(c), request, linkPlaceOf(c)),
    async done(c, made, fields) {
      if (made.link === '') return goTo(c, INVITATIONS_PATH, 'invitation-mailed')
      const name = (fields['who'] ?? '').trim()
      const shown = { view: await adminView(c), made, name, groups: groupsIn(fields) }
      return showPage(c, <MadeInvitationPage {...shown} />)
    },
  }),
  again: action({
    reads: idQuery,
    confirms: true,
    run: (c, { id }) => mailInvitationAgain(c.get('deps'), actorOf(c), id, languageOf(c)),
    done: 'invitation-mailed',
  }),
  withdraw: action({
    reads: idQuery,
    run: (c, { id }) => undoable(c, (slot) => withdrawLink(c.get('deps'), slot.session, id, slot)),
    done: (c, slot) => goTo(c, INVITATIONS_PATH, 'invitation-withdrawn', slot),
  }),
}).get('/', query(listQuery), (c) => showInvitations(c, undefined, c.req.valid('query').page))

/**
 * @param hasMail Whether an address in `who` is mailed the link; otherwise it is the note.
 * @throws {Refusal} `invalidBody`.
 */
function parseInvitation(fields: Fields, hasMail: boolean) {
  const { username, base_path, uses, account_days } = fields
  const who = (fields['who'] ?? '').trim()
  const isMailed = hasMail && who.includes('@')
  return validate(invitationSchema, {
    name: isMailed ? '' : who,
    username,
    email: isMailed ? who : '',
    base_path: base_path || undefined,
    permission: permissionIn(fields, 'permission'),
    uses: numberOf(uses),
    ends_at: timeOfDay(fields['ends_at']),
    account_ends_at: timeOfDay(fields['account_ends_at']),
    account_days: numberOf(account_days),
    groups: groupsIn(fields),
  })
}

/** @returns Nothing for an empty text; another text than a number as it is, which is refused. */
function numberOf(text = ''): number | string | undefined {
  if (text === '') return undefined
  return /^\d+$/.test(text) ? Number(text) : text
}

async function showNewInvitation(c: AppContext, refused?: Refused) {
  const deps = c.get('deps')
  const [view, { groups }] = await Promise.all([
    adminView(c),
    read(deps, of(actorOf(c)), { groups: selectOpenFolders(deps.db) }),
  ])
  const folders = Map.groupBy(groups, ({ name }) => name)
  return showForm(c, NewInvitationPage, { view, groups: folders }, refused)
}

async function showInvitations(c: AppContext, refused?: Refused, wanted = 1) {
  const view = await adminView(c)
  const page = Math.max(wanted, 1)
  const [deps, operator] = [c.get('deps'), actorOf(c)]
  const { links, total } = await listLinks(deps, operator, 'invitation', page, PER_PAGE)
  const pages = Math.max(1, Math.ceil(total / PER_PAGE))
  if (page > pages) return goTo(c, invitationsAddress(pages))
  return showForm(c, InvitationsPage, { view, links, page, pages }, refused)
}
