import { Hono } from 'hono'
import * as v from 'valibot'
import type { App, AppContext } from '../../../../web/http/context.ts'
import { idQuery, pageQuery, query } from '../../../../web/http/input.ts'
import { of } from '../../../../core/access/subject.ts'
import type { Account } from '../../../../core/accounts/accounts.ts'
import { ADMIN } from '../../../../core/accounts/roles.ts'
import { listSiteEvents } from '../../../activity/operator-events.ts'
import { generatePassword } from '../../../../core/passwords/generated-password.ts'
import { Refusal } from '../../../../core/base/refusals.ts'
import { listIdentities } from '../../../sso/manage.ts'
import { readDetails } from '../../../joining/details.ts'
import { linkPlaceOf } from '../../../joining/http/link-place.ts'
import { createResetLink } from '../../../joining/reset-links.ts'
import { listSettings } from '../../../settings/manage-settings.ts'
import { listClients } from '../../../openid/clients.ts'
import { maxCharacters, possiblyEmptyText } from '../../../../core/base/text.ts'
import { listSessions } from '../../../sessions/manage.ts'
import { findUsers, getUser, MAX_LISTED_USERS } from '../../find-users.ts'
import { changeUser, createUser } from '../../manage-users.ts'
import { USER_GROUPS } from '../../list-store.ts'
import { listStopsOf } from '../../unlock.ts'
import {
  isNothing,
  listRemainingAccessOf,
  NO_REMAINING_ACCESS,
} from '../../../me/remaining-access.ts'
import { reason } from '../../../../core/base/reasons.ts'
import { confirmWith } from '../../../../web/kit/confirm.tsx'
import { attempt, type Fields, problemOf, readForm } from '../../../../web/kit/form.ts'
import { languageOf } from '../../../../web/kit/language.ts'
import { actorOf } from '../../../../web/http/guard.ts'
import { goTo, type DoneNotice, showPage } from '../../../../web/kit/view.ts'
import { isUserAction, USER_ACTIONS } from './user-actions.ts'
import type { UserForm } from './user-props.ts'
import { parsePassword, parseUser } from './user-fields.tsx'
import { UserPage } from './user.tsx'
import {
  GeneratedPasswordPage,
  NewUserPage,
  ResetLinkPage,
  userAddress,
  usersAddress,
  UsersPage,
} from './users.tsx'
import { adminView } from '../../../../web/kit/admin/view.ts'

const PATH = '/account/admin/users'
const USERS_PER_PAGE = 25
const MAX_SEARCH_CHARACTERS = 255

const listQuery = v.object({
  page: pageQuery.entries.page,
  search: v.pipe(v.optional(possiblyEmptyText(), ''), maxCharacters(MAX_SEARCH_CHARACTERS)),
  group: v.optional(v.picklist(['', ...USER_GROUPS], reason('userGroup')), ''),
})

/** The pages of users, under `/account/admin/users`. */
export const userPages = new Hono<App>()
  .get('/', query(listQuery), async (c) => {
    const view = await adminView(c)
    const { search, group, page: requestedPage } = c.req.valid('query')
    const page = Math.max(requestedPage, 1)
    const filter = { search: search.trim(), groups: group === '' ? [] : [group] }
    const found = await findUsers(c.get('deps'), actorOf(c), filter, page, USERS_PER_PAGE)
    const listed = Math.min(found.total, MAX_LISTED_USERS)
    const pages = Math.max(1, Math.ceil(listed / USERS_PER_PAGE))
    if (page > pages) return goTo(c, usersAddress({ search, group }, pages))
    const props = { view, ...found, search, group, page, pages }
    return showPage(c, <UsersPage {...props} />)
  })
  .get('/new', async (c) => showPage(c, <NewUserPage view={await adminView(c)} />))
  .post('/new', async (c) => {
    const view = await adminView(c)
    const fields = await readForm(c)
    const made = await attempt(async () => {
      const { password, generated } = readNewPassword(c, fields)
      const user = { ...parseUser(fields), password }
      await confirmWith(c, fields)
      const id = await createUser(c.get('deps'), actorOf(c), user)
      return { user: { id, username: user.username }, generated }
    })
    if (made instanceof Refusal) {
      const problem = problemOf(view.t, made)
      return showPage(c, <NewUserPage view={view} fields={fields} problem={problem} />, made)
    }
    const { user, generated } = made
    if (generated === undefined) return goTo(c, `${PATH}/${user.id}`, 'user-made')
    const props = { view, user, remaining: NO_REMAINING_ACCESS, password: generated }
    return showPage(c, <GeneratedPasswordPage {...props} />)
  })
  .get('/:id{[0-9]+}', (c) => showUser(c))
  .post('/:id{[0-9]+}/password', async (c) => {
    // Read first: an admin who changes their own password ends this session.
    const view = await adminView(c)
    const id = userIdOf(c)
    const fields = await readForm(c)
    const changed = await attempt(async () => {
      const { password, generated } = readNewPassword(c, fields)
      await confirmWith(c, fields)
      const target = [c.get('deps'), actorOf(c), id] as const
      const [user, remaining] = await Promise.all([
        getUser(...target),
        listRemainingAccessOf(...target),
      ])
      await changeUser(...target, { password })
      return { user, remaining, generated }
    })
    if (changed instanceof Refusal) return showUser(c, 'password', fields, changed)
    const { user, remaining, generated } = changed
    if (generated === undefined) {
      const notice = isNothing(remaining) ? 'user-password-set' : 'user-password-set-remaining'
      return goTo(c, userAddress(id, listOf(c)), notice)
    }
    const props = { view, user, remaining, password: generated }
    return showPage(c, <GeneratedPasswordPage {...props} />)
  })
  .post('/:id{[0-9]+}/reset-link', async (c) => {
    const view = await adminView(c)
    const id = userIdOf(c)
    const fields = await readForm(c)
    const changed = await attempt(async () => {
      await confirmWith(c, fields)
      const user = await getUser(c.get('deps'), actorOf(c), id)
      const secondFactor = fields['second_factor'] === 'true'
      const request = { userId: id, secondFactor, endsAt: undefined }
      return {
        user,
        ...(await createResetLink(c.get('deps'), actorOf(c), request, linkPlaceOf(c))),
      }
    })
    if (changed instanceof Refusal) return showUser(c, 'reset-link', fields, changed)
    const { user, ...made } = changed
    const next = userAddress(id, listOf(c))
    return showPage(c, <ResetLinkPage {...{ view, user, made, next }} />)
  })
  .post('/:id{[0-9]+}/:form', async (c) => {
    const { form } = c.req.param()
    if (!isUserAction(form)) throw new Refusal('unknownPath')
    const fields = await readForm(c)
    const { run, notice } = USER_ACTIONS[form]
    const refusal = await attempt(async () => {
      await confirmWith(c, fields)
      await run(c.get('deps'), actorOf(c), userIdOf(c), fields, languageOf(c))
    })
    if (refusal instanceof Refusal) return showUser(c, form, fields, refusal)
    const list = listOf(c)
    const listPath = list === '' ? PATH : `${PATH}?${list}`
    // An operator who goes through a list of people goes on with the next one.
    const leadsToList =
      form === 'delete' ||
      form === 'reject' ||
      (form === 'approve' && list !== '') ||
      (form === 'unlock' && new URLSearchParams(list).get('group') === 'locked')
    const path = leadsToList ? listPath : userAddress(userIdOf(c), list)
    return goTo(c, path, noticeFor(c, form, notice))
  })
  // A refused form leaves its path in the address bar; opening it leads back to the page.
  .get('/:id{[0-9]+}/:form', (c) => goTo(c, `${PATH}/${c.req.param('id')}`))

/** Cancelling one's own second factor keeps the session, so its notice is another one. */
function noticeFor(c: AppContext, form: UserForm, notice: DoneNotice): DoneNotice {
  const isOwn = userIdOf(c) === actorOf(c).userId
  return isOwn && form === 'cancel-two-factor' ? 'two-factor-off' : notice
}

/** Reads the new password; generates one when the field is empty, which the answer shows once. */
function readNewPassword(c: AppContext, fields: Fields) {
  const typed = parsePassword(fields)
  if (typed !== '') return { password: typed, generated: undefined }
  const generated = generatePassword(c.get('deps'))
  return { password: generated, generated }
}

function userIdOf(c: AppContext): number {
  const result = v.safeParse(idQuery, c.req.param())
  if (!result.success) throw new Refusal('userNotFound')
  return result.output.id
}

/** Reads the query of the list that the user's page leads back to; anything else is dropped. */
function listOf(c: AppContext): string {
  const given = Object.fromEntries(new URLSearchParams(c.req.query('list')))
  const parsed = v.safeParse(listQuery, given)
  if (!parsed.success) return ''
  const { search, group, page } = parsed.output
  return usersAddress({ search, group }, page).split('?')[1] ?? ''
}

/** The events on a user's page. */
const LATEST_EVENTS = { limit: 5, offset: 0 }
const MAX_COUNTED_ADMINS = 25

/** Reads what stops a user, and what has happened lately. */
async function readLately(c: AppContext, userId: number) {
  const [deps, operator] = [c.get('deps'), actorOf(c)]
  const [latest, stops] = await Promise.all([
    listSiteEvents(deps, operator, { userId }, LATEST_EVENTS),
    listStopsOf(deps, operator, userId),
  ])
  return { events: latest.events, stops }
}

/** Tells whether nobody could administer the site without this user. */
async function isLastAdmin(c: AppContext, user: Account): Promise<boolean> {
  if (user.role !== ADMIN || user.disabled) return false
  const filter = { search: '', groups: ['admins' as const] }
  const { users } = await findUsers(c.get('deps'), actorOf(c), filter, 1, MAX_COUNTED_ADMINS)
  return users.every(({ id, disabled }) => id === user.id || disabled)
}

async function showUser(c: AppContext, form?: UserForm, fields: Fields = {}, refusal?: Refusal) {
  const view = await adminView(c)
  const target = [c.get('deps'), actorOf(c), userIdOf(c)] as const
  const [user, { details }, settings, { sessions }, remaining, ...more] = await Promise.all([
    getUser(...target),
    readDetails(c.get('deps'), of(actorOf(c), userIdOf(c))),
    listSettings(c.get('deps'), actorOf(c)),
    listSessions(c.get('deps'), of(actorOf(c), userIdOf(c))),
    listRemainingAccessOf(...target),
    listIdentities(c.get('deps'), of(actorOf(c), userIdOf(c))),
    listClients(c.get('deps'), actorOf(c)),
    readLately(c, userIdOf(c)),
  ])
  const [identities, clients, lately] = more
  const sessionLimit = Number(settings.find(({ key }) => key === 'max_devices')?.value ?? 0)
  const refused = form && refusal && { form, problem: problemOf(view.t, refusal), fields }
  const hasPrograms = clients.length > 0
  const lists = { ...remaining, ...lately, sessions, identities, list: listOf(c) }
  const isLast = await isLastAdmin(c, user)
  const props = {
    view,
    user,
    details,
    maxSessions: sessionLimit === 0 ? undefined : sessionLimit,
    ...lists,
    hasPrograms,
    isLastAdmin: isLast,
    refused,
  }
  return showPage(c, <UserPage {...props} />, refusal)
}
