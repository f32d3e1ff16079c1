import { eq, like } from 'drizzle-orm'
import { beforeEach, describe, expect, test } from 'vitest'
import {
  auditEvents,
  fileRequests,
  folderRules,
  groupMembers,
  groups,
  users,
} from '../../schema/tables.ts'
import { groupNameKey } from '../../src/core/accounts/groups.ts'
import { GUEST } from '../../src/core/accounts/roles.ts'
import { arrangeGroups, type GroupsSite } from '../groups/groups-site.ts'
import { addGroup } from '../support/groups.ts'
import { expectEscaped, MARKUP } from '../support/markup.ts'
import { RUNNING } from '../support/openlist-tasks.ts'
import { ADMIN_PASSWORD, HOUR } from '../support/site.ts'
import { alertIn, problemAt, textOf, Visitor } from '../support/visitor.ts'

const GROUPS = '/account/admin/groups'
const FOLDERS = '/account/admin/folders'
const [ALICE, BOB] = [3, 4]

let site: GroupsSite
let admin: Visitor

beforeEach(async () => {
  ;({ site } = await arrangeGroups())
  admin = new Visitor(site)
  await admin.signIn('admin', ADMIN_PASSWORD)
})

const shown = async (path: string) => textOf((await admin.get(path)).html)

const add = (path: string, who: string, access: string) =>
  admin.post(`${FOLDERS}/add`, { path, who, access })

describe('the pages of groups', () => {
  test('are for admins alone', async () => {
    const id = await addGroup(site, 'finance')
    const alice = new Visitor(site)
    await alice.signIn('alice', 'alice-Passw0rd')
    const forms = ['add', `${id}/save`, `${id}/join`, `${id}/remove`, `${id}/delete`]
    for (const path of [GROUPS, `${GROUPS}/${id}`, FOLDERS]) {
      expect((await alice.get(path)).status, path).toBe(403)
      expect(await new Visitor(site).get(path)).toMatchObject({ status: 303 })
    }
    for (const form of forms)
      expect((await alice.post(`${GROUPS}/${form}`, { name: 'x', uid: '3' })).status).toBe(403)
    for (const form of ['add', 'change', 'sync', 'adopt', 'move'])
      expect((await alice.post(`${FOLDERS}/${form}`, { path: '/x', rule: '1' })).status).toBe(403)
    expect(await site.db.select().from(groups)).toHaveLength(1)
  })

  test('make a group, add a user by name, and take both away', async () => {
    expect(await shown(GROUPS)).toContain('No groups')
    const made = await admin.post(`${GROUPS}/add`, { name: ' Finance ', note: 'Money' })
    expect(made).toMatchObject({ status: 303 })
    const [group] = await site.db.select().from(groups)
    const page = `${GROUPS}/${group?.id}`
    expect(made.location).toContain(page)
    expect(await shown(GROUPS)).toContain('Finance 0 members 0 rights in folders Money')
    await admin.post(`${page}/join`, { username: 'alice' })
    expect(await shown(page)).toContain('alice Added just now by admin')
    expect((await admin.get(page)).html).toContain(`href="${FOLDERS}?who=group%3AFinance#add"`)
    await admin.post(`${page}/save`, { name: 'Money', note: '' })
    expect(await shown(page)).toContain('Money 1 member')
    await admin.post(`${page}/remove`, { uid: String(ALICE) })
    expect(await site.db.select().from(groupMembers)).toEqual([])
    await admin.post(`${page}/delete`)
    expect(await site.db.select().from(groups)).toEqual([])
    expect((await admin.get(page)).status).toBe(404)
  })

  test('show a refusal at its field, with what was entered', async () => {
    const id = await addGroup(site, 'finance')
    const taken = await admin.post(`${GROUPS}/add`, { name: 'FINANCE', note: 'x' })
    expect(taken.status).toBe(409)
    expect(problemAt(taken.html, 'name')).not.toBe('')
    expect(taken.html).toContain('value="FINANCE"')
    const join = (username: string) => admin.post(`${GROUPS}/${id}/join`, { username })
    expect((await join('nobody')).status).toBe(404)
    expect(problemAt((await join('nobody')).html, 'username')).not.toBe('')
    expect(problemAt((await join('guest')).html, 'username')).not.toBe('')
    await site.db.insert(folderRules).values({
      path: '/x',
      groupId: id,
      access: 'read',
      createdAt: 0,
    })
    const deleted = await admin.post(`${GROUPS}/${id}/delete`)
    expect([deleted.status, alertIn(deleted.html)]).toEqual([409, expect.any(String)])
  })

  test('escape names and notes', async () => {
    const id = await addGroup(site, 'x')
    await site.db.update(groups).set({ name: MARKUP, nameKey: groupNameKey(MARKUP), note: MARKUP })
    await site.db.insert(folderRules).values({
      path: `/${MARKUP}`,
      groupId: id,
      access: 'read',
      createdAt: 0,
    })
    for (const path of [GROUPS, `${GROUPS}/${id}`, FOLDERS]) {
      const { status, html } = await admin.get(path)
      expect(status).toBe(200)
      expectEscaped(html)
    }
  })
})

describe('users who are selected in the list', () => {
  const SELECTED = '/account/admin/users/selected'
  const BOTH = { do: 'group', 'user-3': 'on', 'user-4': 'on' }

  test('are added to a group, a new one or one that is there, after a question', async () => {
    expect((await admin.get('/account/admin/users')).html).toContain('name="do" value="group"')
    await addGroup(site, 'Finance')
    const asked = await admin.post(SELECTED, BOTH)
    expect(asked.html).toContain('<option value="Finance">')
    expect(textOf(asked.html)).toContain('alice bob')
    expect(await site.db.select().from(groupMembers)).toEqual([])
    for (const [name, id] of [
      ['finance', 1],
      [' Board ', 2],
    ] as const) {
      const { location } = await admin.post(SELECTED, { ...BOTH, sure: 'true', name })
      expect(location).toBe(`${GROUPS}/${id}?done=group-joined`)
      expect(await shown(`${GROUPS}/${id}`)).toContain('alice Added just now by admin')
    }
    const kinds = await site.db.select().from(auditEvents).where(like(auditEvents.kind, 'group_%'))
    expect(kinds.map(({ kind, detail, userId }) => [kind, detail, userId])).toEqual([
      ['group_member_added', 'Finance', ALICE],
      ['group_member_added', 'Finance', BOB],
      ['group_created', 'Board', null],
      ['group_member_added', 'Board', ALICE],
      ['group_member_added', 'Board', BOB],
    ])
    expect(await shown(`/account/admin/users/${ALICE}`)).toContain('Board Finance')
  })

  test.each(['', 'admin', 'a/b'])('are not added to %j, and the field says why', async (name) => {
    const { status, html } = await admin.post(SELECTED, { ...BOTH, sure: 'true', name })
    expect(status).toBe(400)
    expect(problemAt(html, 'name')).not.toBe('')
    expect(html).toContain('name="user-4" value="on"')
    expect(await site.db.select().from(groups)).toEqual([])
  })

  test('make no group when one of them is refused', async () => {
    const gone = { ...BOTH, 'user-99': 'on', sure: 'true', name: 'Board' }
    const { status, html } = await admin.post(SELECTED, gone)
    expect([status, alertIn(html)]).toEqual([404, 'There is no such user.'])
    expect(await site.db.select().from(groups)).toEqual([])
    const kinds = await site.db.select().from(auditEvents).where(like(auditEvents.kind, 'group_%'))
    expect(kinds).toEqual([])
  })

  test('make no group where there are 200', async () => {
    const names = Array.from({ length: 200 }, (_, i) => `g${i}`)
    for (const name of names) await addGroup(site, name)
    const { status, html } = await admin.post(SELECTED, { ...BOTH, sure: 'true', name: 'Board' })
    expect(status).toBe(400)
    expect(problemAt(html, 'name') + (alertIn(html) ?? '')).toContain('200')
    expect(await site.db.select().from(groupMembers)).toEqual([])
  })

  test('are all added, or none', async () => {
    await addGroup(site, 'Finance')
    const gone = { ...BOTH, 'user-99': 'on', sure: 'true', name: 'Finance' }
    const { status, html } = await admin.post(SELECTED, gone)
    expect([status, alertIn(html)]).toEqual([404, 'There is no such user.'])
    expect(await site.db.select().from(groupMembers)).toEqual([])
  })

  test('stay where they are while the session is not fresh, and for users', async () => {
    const sent = { ...BOTH, sure: 'true', name: 'Finance' }
    const alice = new Visitor(site)
    await alice.signIn('alice', 'alice-Passw0rd')
    expect((await alice.post(SELECTED, sent)).status).toBe(403)
    site.now += HOUR
    const { status, html } = await admin.post(SELECTED, sent)
    expect([status, html.includes('confirm_password')]).toEqual([403, true])
    expect(await site.db.select().from(groups)).toEqual([])
    const again = await admin.post(SELECTED, { ...sent, confirm_password: ADMIN_PASSWORD })
    expect(again.status).toBe(303)
  })
})

describe('the page of folders', () => {
  test('shows the tree of folders, and who may do what', async () => {
    await addGroup(site, 'finance', ALICE)
    expect(await shown(FOLDERS)).toContain('No folder has rights of its own')
    expect((await add('/nas', 'group:user', 'none')).status).toBe(303)
    await add('/nas/finance/', 'group:Finance', 'write')
    await add('/nas/finance', 'user:bob', 'read')
    const text = await shown(FOLDERS)
    expect(text).toContain('/nas All users No access Change')
    expect(text).toContain('Group “finance” Look and change Change')
    expect(text).toContain('bob Look and download Change')
    expect(text).toContain(
      'Visitors who are not signed in The guest is disabled, so they see nothing No access /nas/finance alice may change it',
    )
    expect(text).toMatch(
      /What may a user see\?.*Save Remove this right .*Remove this right Everybody else from \/nas No access/,
    )
    const { html } = await admin.get(FOLDERS)
    expect(html.lastIndexOf('/nas/finance')).toBeGreaterThan(html.indexOf('class="tree"'))
    const [, , bob] = await site.db.select().from(folderRules)
    await admin.post(`${FOLDERS}/change`, { rule: String(bob?.id), access: 'write' })
    expect(
      await site.db.select().from(folderRules).where(eq(folderRules.access, 'write')),
    ).toHaveLength(2)
    expect(html).toContain(`Remove the right of bob in ${bob?.path}?`)
    const removal = { rule: String(bob?.id), delete: 'true', named: 'bob' }
    const { location } = await admin.post(`${FOLDERS}/change`, removal)
    expect(location).toBe(`${FOLDERS}?done=folder-rule-removed`)
    expect(await shown(location ?? '')).toContain('The right was removed: bob.')
    expect(await site.db.select().from(folderRules)).toHaveLength(2)
  })

  test('says what visitors may do, and that they see nothing while the guest is disabled', async () => {
    const VISITORS = 'Visitors who are not signed in'
    const DISABLED = 'The guest is disabled, so they see nothing'
    await add('/nas', 'group:user', 'none')
    await add('/club', 'group:guest', 'read')
    const disabled = await shown(FOLDERS)
    expect(disabled).toContain(`${VISITORS} ${DISABLED} No access`)
    expect(disabled).toContain(`${VISITORS} ${DISABLED} Look and download`)
    await site.db.update(users).set({ disabled: false }).where(eq(users.role, GUEST))
    const enabled = await shown(FOLDERS)
    expect(enabled).toContain(`${VISITORS} What the account allows`)
    expect(enabled).toContain(`${VISITORS} Look and download`)
    expect(enabled).not.toContain(DISABLED)
  })

  test('answers what a user may see, and why', async () => {
    await addGroup(site, 'finance', ALICE)
    await add('/nas', 'group:user', 'none')
    await add('/nas/finance', 'group:finance', 'read')
    const all = await shown(`${FOLDERS}?user=alice&path=`)
    expect(all).toContain(
      'What may alice see? User name Folder Without a folder, all folders of this page are checked. Check / No right is set here What the account allows',
    )
    expect(all).toContain('/nas Decided at /nas: All users Only the way to folders below')
    expect(all).toContain('/nas/finance Decided at /nas/finance: Group “finance” Look and download')
    const one = await shown(`${FOLDERS}?user=bob&path=/nas/finance/2026`)
    expect(one).toContain('/nas/finance/2026 Decided at /nas: All users No access')
    expect(await shown(`${FOLDERS}?user=admin&path=/nas`)).toContain(
      '/nas Administrators may do everything Look and change',
    )
    await add('/nas/finance', 'group:user', 'none')
    expect(await shown(`${FOLDERS}?user=alice&path=/nas`)).toContain(
      '/nas Decided at /nas: All users Only the way to folders below',
    )
    expect(await shown(`${FOLDERS}?user=bob&path=/nas`)).toContain('All users No access')
    await add('/club', 'user:bob', 'write')
    expect(await shown(`${FOLDERS}?user=alice&path=/club`)).toContain(
      '/club Others have rights here, and alice is none of them No access',
    )
    expect(await shown(`${FOLDERS}?user=bob&path=/club`)).toContain(
      '/club Decided at /club: bob. But the account has no permission that changes files Look and download',
    )
    expect(await shown(`${FOLDERS}?user=alice&path=/Club`)).toContain(
      '/Club It may be another spelling of /club, which has rules. Others have rights here, and alice is none of them No access',
    )
    await site.db.update(users).set({ basePath: '/homes/alice' }).where(eq(users.id, ALICE))
    expect(await shown(`${FOLDERS}?user=alice&path=/nas/finance`)).toContain(
      '/nas/finance The base folder of alice does not contain it Out of reach',
    )
    expect(await shown(`${FOLDERS}?user=guest&path=/club`)).toContain('But the account is disabled')
    const unknown = await admin.get(`${FOLDERS}?user=nobody`)
    expect(problemAt(unknown.html, 'check-user')).not.toBe('')
  })

  test('names those for whom a rule above decides', async () => {
    await addGroup(site, 'Club', ALICE)
    await add('/club', 'group:Club', 'read')
    await add('/club/board', 'user:bob', 'write')
    const text = await shown(FOLDERS)
    expect(text).toMatch(
      /\/club\/board .* bob Look and change Change .* Group “Club” from \/club Look and download Everybody else No access/,
    )
    await add('/club/board', 'group:user', 'none')
    expect(await shown(FOLDERS)).not.toContain('from /club')
  })

  test('fills the form for a new right in, and takes the name of a user from its own field', async () => {
    await addGroup(site, 'Club')
    expect((await admin.get(`${FOLDERS}?who=group:Club`)).html).toContain(
      '<option value="group:Club" selected="">Club</option>',
    )
    const sent = { path: '/club', who: 'user:', username: ' alice ', access: 'read' }
    expect((await admin.post(`${FOLDERS}/add`, sent)).status).toBe(303)
    expect(await site.db.select().from(folderRules)).toMatchObject([{ userId: ALICE }])
  })

  test('says what makes rules weaker than they look', async () => {
    const erin = await site.addUser('erin', { basePath: '/homes/erin', permission: 0xffff })
    await site.addGroup('staff', [ALICE, erin])
    site.openlist.folders.push('/nas')
    await add('/nas', 'group:staff', 'write')
    const sound = await shown(FOLDERS)
    expect(sound).not.toMatch(/no such folder|sign_all|second path|wait/)
    expect(sound).toContain('The base folder hides it from erin.')
    expect(sound).toContain('alice may change it by a right, but has no permission')
    await add('/gone', 'group:staff', 'read')
    site.openlist.settings['sign_all'] = 'false'
    site.openlist.storages['/second'] = 'Alias'
    const weak = await shown(FOLDERS)
    expect(weak).toContain('/gone The file server has no such folder')
    expect(weak).toContain('does not sign its links (sign_all is off), so this site refuses them')
    expect(weak).toContain('/second: the storage there shows files of other folders')
    await add('/second', 'group:staff', 'read')
    expect(await shown(FOLDERS)).not.toContain('shows files of other folders')
    site.openlist.answer = () => Promise.reject(new TypeError('away'))
    expect(await shown(FOLDERS)).toContain('The file server does not answer now.')
  })

  test.each([
    ['group:user', 'All users'],
    ['group:guest', 'Visitors who are not signed in'],
    ['user:alice', 'alice'],
  ])('names whose right was given as the list does: %s', async (who, name) => {
    const { location } = await add('/nas', who, 'none')
    expect(await shown(location ?? '')).toContain(`The right was given: ${name} · /nas.`)
  })

  test('says that tasks are under way with the first rule', async () => {
    const task = { kind: 'copy', id: 'x', name: 'x', creator: 'admin', creator_role: 2 }
    site.openlist.tasks.rows.push({ ...task, state: RUNNING })
    const { location } = await add('/nas', 'user:alice', 'read')
    expect(await shown(location ?? '')).toContain('Tasks may still be under way at OpenList')
    const second = await add('/club', 'user:alice', 'read')
    expect(second.location).toBe(`${FOLDERS}?done=folder-rule-made`)
  })

  test('says that a task runs on after its right was taken, as the status of the site does', async () => {
    const STATUS = '/account/admin'
    await add('/nas', 'user:alice', 'read')
    const task = { kind: 'copy', id: 'x', name: 'copy [/](/nas/a) to [/](/b)', creator: 'bob' }
    site.openlist.tasks.rows.push({ ...task, creator_role: 0, state: RUNNING })
    expect(await shown(FOLDERS)).not.toContain('has not ended all tasks')
    await add('/nas', 'user:bob', 'none')
    expect(await shown(FOLDERS)).toMatch(
      /A change of rights in folders is not finished OpenList has not ended all tasks .* Look again/,
    )
    expect(await shown(STATUS)).toContain('A change of rights in folders is not finished')
    site.openlist.tasks.rows.length = 0
    await admin.post(`${FOLDERS}/sync`)
    expect(await shown(FOLDERS)).not.toMatch(/has not ended all tasks|Look again/)
    expect(await shown(STATUS)).not.toContain('is not finished')
  })

  test('says that OpenList works on requests from before a change', async () => {
    await add('/nas', 'user:alice', 'read')
    expect(await shown(FOLDERS)).not.toContain('OpenList may still work on')
    await site.db
      .insert(fileRequests)
      .values({ id: 'x', userId: BOB, rights: '', endsAt: site.now + 1000 })
    expect(await shown(FOLDERS)).toMatch(/OpenList may still work on 1 request that.*Look again/)
    const { location } = await add('/club', 'user:alice', 'read')
    expect(await shown(location ?? '')).toContain('OpenList still works on requests from before')
  })

  test('shows what waits, as the status of the site does, and writes it', async () => {
    const STATUS = '/account/admin'
    const WAIT = 'A change of rights in folders is not finished'
    await add('/nas', 'user:alice', 'read')
    expect(await shown(STATUS)).not.toContain(WAIT)
    site.openlist.answer = ({ path }) =>
      path === '/api/admin/meta/create' ? Promise.reject(new TypeError('away')) : undefined
    await add('/club', 'user:alice', 'read')
    expect(await shown(STATUS)).toContain(WAIT)
    expect((await admin.get(STATUS)).html).toContain(`<a href="${FOLDERS}">${WAIT}</a>`)
    expect(await shown(FOLDERS)).toMatch(/1 folder waits .* Write now .*\/club Waits to be written/)
    site.openlist.answer = undefined
    const { location } = await admin.post(`${FOLDERS}/sync`)
    expect(location).toBe(`${FOLDERS}?done=folders-compared`)
    expect(site.openlist.metas.at('/club')).toBeDefined()
    expect(await shown(FOLDERS)).not.toContain('Write now')
    expect(await shown(STATUS)).not.toContain(WAIT)
  })

  test('makes rights of the lists of the file server, and moves a folder with its rights', async () => {
    await add('/nas', 'user:alice', 'read')
    site.openlist.metas.put({ path: '/other', read_users: [1] })
    site.openlist.folders.push('/nas', '/club')
    const refused = await add('/other', 'user:alice', 'read')
    expect([refused.status, problemAt(refused.html, 'add-path')]).toEqual([409, expect.any(String)])
    const text = textOf(refused.html)
    expect(text).toMatch(/Users that the file server lists itself .* \/other Make rights of them/)
    const adopted = await admin.post(`${FOLDERS}/adopt`, { path: '/other' })
    expect(adopted.location).toBe(`${FOLDERS}?done=folder-adopted`)
    expect(await shown(FOLDERS)).not.toContain('lists itself')
    const inItself = await admin.post(`${FOLDERS}/move`, { path: '/nas', to: '/nas/x' })
    expect(problemAt(inItself.html, 'move-to')).not.toBe('')
    const moved = await admin.post(`${FOLDERS}/move`, { path: '/nas', to: '/nas-2' })
    expect(moved.location).toBe(`${FOLDERS}?done=folder-moved`)
    const paths = await site.db.select({ path: folderRules.path }).from(folderRules)
    expect(new Set(paths.map(({ path }) => path))).toEqual(new Set(['/other', '/nas-2']))
  })

  test('asks for the password in a session that is not fresh', async () => {
    await add('/nas', 'group:user', 'none')
    site.now += HOUR
    const rule = { rule: '1', access: 'write' }
    for (const { status, html } of [
      await add('/nas', 'user:alice', 'read'),
      await admin.post(`${FOLDERS}/change`, rule),
      await admin.post(`${FOLDERS}/change`, { ...rule, delete: 'true' }),
      await admin.post(`${FOLDERS}/move`, { path: '/nas', to: '/nas-2' }),
    ])
      expect([status, html.includes('confirm_password')]).toEqual([403, true])
    for (const form of ['sync', 'adopt'])
      expect((await admin.post(`${FOLDERS}/${form}`, { path: '/nas' })).status).toBe(403)
    expect(await site.db.select().from(folderRules)).toMatchObject([{ id: 1, access: 'none' }])
    const again = { ...rule, confirm_password: ADMIN_PASSWORD }
    expect((await admin.post(`${FOLDERS}/change`, again)).status).toBe(303)
  })

  test.each([
    ['', 'group:user', 'read', 'add-path'],
    ['nas', 'group:user', 'read', 'add-path'],
    ['/nas', 'finance', 'read', 'add-who'],
    ['/nas', 'user:nobody', 'read', 'add-username'],
    ['/nas', 'user:', 'read', 'add-username'],
    ['/nas', 'group:admin', 'read', 'add-who'],
    ['/nas', 'user:admin', 'read', 'add-who'],
    ['/nas', 'group:user', 'all', 'add-access'],
  ])('refuses %j for %j: %j', async (path, who, access, field) => {
    const { status, html } = await add(path, who, access)
    expect(status).toBeGreaterThanOrEqual(400)
    expect(problemAt(html, field)).not.toBe('')
    expect(await site.db.select().from(folderRules)).toEqual([])
  })
})

test('the overview of a user names the groups', async () => {
  await addGroup(site, 'Finance', ALICE)
  const alice = new Visitor(site)
  await alice.signIn('alice', 'alice-Passw0rd')
  expect(textOf((await alice.get('/account')).html)).toContain('Groups Finance')
})
