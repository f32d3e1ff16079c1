import { Hono } from 'hono'
import * as v from 'valibot'
import { of, read } from '../../../../core/access/subject.ts'
import { selectUserNamed } from '../../../../core/accounts/store.ts'
import { Refusal } from '../../../../core/base/refusals.ts'
import type { App, AppContext } from '../../../../web/http/context.ts'
import { actorOf } from '../../../../web/http/guard.ts'
import { idQuery, integer, pageQuery, query } from '../../../../web/http/input.ts'
import { action, formsOf } from '../../../../web/kit/action.ts'
import { adminView } from '../../../../web/kit/admin/view.ts'
import type { Refused } from '../../../../web/kit/form.ts'
import { showForm } from '../../../../web/kit/frames.tsx'
import { goTo } from '../../../../web/kit/view.ts'
import { listRules } from '../../folder-rules.ts'
import { changeGroup, createGroup, deleteGroup, getGroup, listGroups } from '../../manage-groups.ts'
import { addMembers, listMembers, removeMembers } from '../../members.ts'
import { groupAddress, type GroupForm, GroupPage, GROUPS_PATH, GroupsPage } from './groups.tsx'

const MEMBERS_PER_PAGE = 50

const listQuery = v.object({ page: pageQuery.entries.page })
const memberForm = v.object({ uid: integer })

/** The pages of groups, under `/account/admin/groups`. */
export const groupPages = new Hono<App>()
  .get('/', (c) => showGroups(c))
  .route(
    '/:id{[0-9]+}',
    formsOf((c) => groupAddress(idOf(c)), showGroup, {
      save: action({
        confirms: true,
        run: (c, { name, note }) =>
          changeGroup(c.get('deps'), actorOf(c), idOf(c), { name: name ?? '', note: note ?? '' }),
        done: 'group-saved',
      }),
      join: action({
        confirms: true,
        async run(c, { username = '' }) {
          const user = await findUser(c, username.trim())
          await addMembers(c.get('deps'), actorOf(c), idOf(c), [user])
        },
        done: 'group-joined',
      }),
      remove: action({
        reads: memberForm,
        confirms: true,
        run: (c, { uid }) => removeMembers(c.get('deps'), actorOf(c), idOf(c), [uid]),
        done: 'group-left',
      }),
      delete: action({
        confirms: true,
        run: (c) => deleteGroup(c.get('deps'), actorOf(c), idOf(c)),
        done: (c) => goTo(c, GROUPS_PATH, 'group-deleted'),
      }),
    }).get('/', query(listQuery), (c) => showGroup(c, undefined, c.req.valid('query').page)),
  )
  .route(
    '/',
    formsOf(GROUPS_PATH, showGroups, {
      add: action({
        confirms: true,
        run: (c, { name, note }) => createGroup(c.get('deps'), actorOf(c), { name, note }),
        done: (c, id) => goTo(c, groupAddress(id), 'group-made'),
      }),
    }),
  )

/** @throws {Refusal} `groupNotFound`. */
function idOf(c: AppContext): number {
  const result = v.safeParse(idQuery, c.req.param())
  if (!result.success) throw new Refusal('groupNotFound')
  return result.output.id
}

/**
 * @param field Shows that there is no such user.
 * @throws {Refusal} `notAdmin`, `userNotFound`.
 */
export async function findUser(
  c: AppContext,
  username: string,
  field = 'username',
): Promise<number> {
  const { db } = c.get('deps')
  const parts = { named: selectUserNamed(db, username) }
  const { named } = await read(c.get('deps'), of(actorOf(c)), parts)
  const [user] = named
  if (user === undefined) throw new Refusal('userNotFound', { field })
  return user.id
}

async function showGroups(c: AppContext, refused?: Refused) {
  const view = await adminView(c)
  const { groups } = await listGroups(c.get('deps'), actorOf(c), undefined, 1, 0)
  return showForm(c, GroupsPage, { view, groups }, refused)
}

async function showGroup(c: AppContext, refused?: Refused<GroupForm>, wanted = 1) {
  const [deps, operator, id] = [c.get('deps'), actorOf(c), idOf(c)]
  const view = await adminView(c)
  const group = await getGroup(deps, operator, { id })
  const pages = Math.max(1, Math.ceil(group.members / MEMBERS_PER_PAGE))
  const page = Math.max(wanted, 1)
  if (page > pages) return goTo(c, groupAddress(id, pages))
  const [{ members }, { rules }] = await Promise.all([
    listMembers(deps, operator, id, page, MEMBERS_PER_PAGE),
    listRules(deps, operator, { group: group.name }, 1, 0),
  ])
  return showForm<Parameters<typeof GroupPage>[0], GroupForm>(
    c,
    GroupPage,
    { view, group, members, page, pages, rules },
    refused,
  )
}
