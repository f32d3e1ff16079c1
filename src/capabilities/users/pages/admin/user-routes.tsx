import { Hono } from 'hono'
import { of, read } from '../../../../core/access/subject.ts'
import { selectAnyClient } from '../../../../core/accounts/known-names.ts'
import { inBatchOf } from '../../../../core/database/shared-batch.ts'
import { loadPartsOfUser } from '../../../../web/kit/capability.ts'
import { userIdOf } from '../../../../web/kit/admin/user-of-page.ts'
import type { Account } from '../../../../core/accounts/accounts.ts'
import { ADMIN } from '../../../../core/accounts/roles.ts'
import { DAY_MILLISECONDS } from '../../../../core/base/time.ts'
import type { App, AppContext } from '../../../../web/http/context.ts'
import { actorOf } from '../../../../web/http/guard.ts'
import { query } from '../../../../web/http/input.ts'
import { action, type Action, formsOf } from '../../../../web/kit/action.ts'
import { adminView } from '../../../../web/kit/admin/view.ts'
import type { PartOfUser } from '../../../../web/kit/part-of-user.ts'
import type { Refused } from '../../../../web/kit/form.ts'
import { showForm } from '../../../../web/kit/frames.tsx'
import { goTo, showPage } from '../../../../web/kit/view.ts'
import { listSiteEvents } from '../../../activity/operator-events.ts'
import { readDetails } from '../../details.ts'
import { selectPasskeys } from '../../../passkeys/store.ts'
import { findUsers, findUsersAndCounts, MAX_LISTED_USERS } from '../../find-users.ts'
import { isBySeen, MAX_ORDERED_BY_SEEN, selectUse } from '../../list-store.ts'
import { createUser } from '../../manage-users.ts'
import { listStops } from '../../unlock.ts'
import { USER_FORMS } from './user-actions.tsx'
import { listOf, listQuery, userPageOf, usersAddress, USERS_PATH } from './user-address.ts'
import { parseNewUser, readNewPassword } from './user-fields.tsx'
import { selectedActions, selectedForm } from './selected.tsx'
import { UserPage } from './user.tsx'
import { GeneratedPasswordPage, NewUserPage, UsersPage } from './users.tsx'

const USERS_PER_PAGE = 25
const WEEK_MILLISECONDS = 7 * DAY_MILLISECONDS

/**
 * The pages of users, under `/account/admin/users`.
 *
 * @param ofUser What capabilities have on the page of a user.
 */
export function userPages(ofUser: readonly PartOfUser[]): Hono<App> {
  return new Hono<App>()
    .get('/', query(listQuery), async (c) => {
      const view = await adminView(c)
      const { page: requestedPage, ...fields } = c.req.valid('query')
      const { search, group, sort } = fields
      const page = Math.max(requestedPage, 1)
      const filter = { search: search.trim(), groups: group === '' ? [] : [group] }
      const listing = { page, perPage: USERS_PER_PAGE, order: sort }
      const found = await findUsersAndCounts(c.get('deps'), actorOf(c), filter, listing)
      const most = isBySeen(sort) ? MAX_ORDERED_BY_SEEN : MAX_LISTED_USERS
      const pages = Math.max(1, Math.ceil(Math.min(found.total, most) / USERS_PER_PAGE))
      if (page > pages) return goTo(c, usersAddress(fields, pages))
      const actions = selectedActions(ofUser)
      const parts = group === 'waiting' ? ofUser : []
      const props = { view, ...found, ...fields, page, pages, parts, actions }
      return showPage(c, <UsersPage {...props} />)
    })
    .route(
      '/:id{[0-9]+}',
      formsOf(userPageOf, showUser, formsWith(ofUser)).get('/', (c) => showUser(c)),
    )
    .route(
      '/',
      formsOf(USERS_PATH, showNewUser, {
        selected: selectedForm,
        new: action({
          page: showNewUser,
          reads: (fields, c) => ({
            ...parseNewUser(fields),
            ...readNewPassword(c.get('deps'), fields),
          }),
          confirms: true,
          async run(c, { generated, ...user }) {
            const id = await createUser(c.get('deps'), actorOf(c), user)
            return { user: { id, username: user.username }, generated }
          },
          async done(c, { user, generated }) {
            if (generated === undefined) return goTo(c, `${USERS_PATH}/${user.id}`, 'user-made')
            const shown = { user, remaining: [], password: generated }
            return showPage(c, <GeneratedPasswordPage view={await adminView(c)} {...shown} />)
          },
        }),
      }),
    )
}

/** @throws {TypeError} When two forms have one name. */
function formsWith(parts: readonly PartOfUser[]): Record<string, Action> {
  const all: Record<string, Action> = { ...USER_FORMS }
  for (const [name, form] of parts.flatMap(({ forms = {} }) => Object.entries(forms))) {
    if (Object.hasOwn(all, name))
      throw new TypeError(`two forms of this page have the name ${name}`)
    all[name] = form
  }
  return all
}

async function showNewUser(c: AppContext, refused?: Refused) {
  return showForm(c, NewUserPage, { view: await adminView(c) }, refused)
}

/** The events on a user's page. */
const LATEST_EVENTS = { limit: 5, offset: 0 }
const MAX_COUNTED_ADMINS = 25

/** Reads a user, and what capabilities show of what gives the user access. */
async function readAccess(c: AppContext, userId: number) {
  const deps = c.get('deps')
  const { db } = deps
  const parts = await loadPartsOfUser(c.get('capabilities'))
  const { ran, works: sections } = await inBatchOf(
    (others) =>
      read(deps, of(actorOf(c), userId), {
        passkeys: selectPasskeys(db, userId),
        use: selectUse(db, userId, deps.now() - WEEK_MILLISECONDS),
        clients: selectAnyClient(db),
        ...others,
      }),
    (batch) =>
      parts.map(async ({ section, fact, forms = {} }) => {
        const [show, tell] = await Promise.all([
          section?.(deps, userId, batch),
          fact?.(deps, userId, batch),
        ])
        return { show, tell, forms: Object.keys(forms) }
      }),
  )
  const { account: user, passkeys, clients, use } = ran
  return { user, passkeys, use: use[0], hasPrograms: clients.length > 0, sections, parts }
}

/** Reads what stops a user, and what has happened lately. */
async function readLately(c: AppContext, userId: number) {
  const [deps, operator] = [c.get('deps'), actorOf(c)]
  const [latest, stops] = await Promise.all([
    listSiteEvents(deps, operator, { userId }, LATEST_EVENTS),
    listStops(deps, operator, userId),
  ])
  return { events: latest.events, stops }
}

/** Tells whether nobody could administer the site without this user. */
async function isLastAdmin(c: AppContext, user: Account): Promise<boolean> {
  if (user.role !== ADMIN || user.disabled) return false
  const filter = { search: '', groups: ['admins' as const] }
  const { users } = await findUsers(c.get('deps'), actorOf(c), filter, {
    page: 1,
    perPage: MAX_COUNTED_ADMINS,
  })
  return users.every(({ id, disabled }) => id === user.id || disabled)
}

async function showUser(c: AppContext, refused?: Refused) {
  const view = await adminView(c)
  const [deps, operator, userId] = [c.get('deps'), actorOf(c), userIdOf(c)]
  const [{ user, ...access }, { details }, lately] = await Promise.all([
    readAccess(c, userId),
    readDetails(deps, of(operator, userId)),
    readLately(c, userId),
  ])
  const props = {
    view,
    user,
    details,
    ...access,
    ...lately,
    list: listOf(c),
    isLastAdmin: await isLastAdmin(c, user),
  }
  return showForm(c, UserPage, props, refused)
}
