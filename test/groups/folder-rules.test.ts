import { beforeEach, describe, expect, test } from 'vitest'
import { auditEvents, folderRules, folderState } from '../../schema/tables.ts'
import { HOUR, NOW } from '../support/site.ts'
import { CheapSite } from '../support/cheap-site.ts'
import { arrangeGroups, type GroupsSite, isSettled } from './groups-site.ts'

let site: GroupsSite
let admin: string
let alice: string

beforeEach(async () => {
  ;({ site, admin, alice } = await arrangeGroups())
})

const [GUEST, ALICE, BOB, CAROL] = [2, 3, 4, 5]

type Body = Record<string, unknown>

const create = (body: Body) => site.admin('POST', 'folder_rule/create', body)

/** Makes a rule. @returns Its id. */
async function addRule(path: string, whose: Body, access: string): Promise<number> {
  return (await create({ path, ...whose, access })).data.id
}

/** Puts rules into the database. */
async function insert(rows: { path: string; userId: number }[]): Promise<void> {
  for (let i = 0; i < rows.length; i += 20)
    await site.db
      .insert(folderRules)
      .values(rows.slice(i, i + 20).map((row) => ({ ...row, access: 'read', createdAt: NOW })))
}

const list = async (query = '') => (await site.admin('GET', `folder_rule/list${query}`)).data

const check = async (uid: number, path: string) =>
  (await site.admin('GET', `folder_rule/check?uid=${uid}&path=${encodeURIComponent(path)}`)).data

describe('POST /api/admin/folder_rule/create', () => {
  test('makes none for a file, which the list of its folder shows', async () => {
    site.openlist.files['/nas/a.txt'] = ''
    expect(await create({ path: '/nas/a.txt', uid: ALICE, access: 'none' })).toEqual({
      code: 400,
      message: 'this is a file, and rules are for folders',
      data: null,
    })
    expect((await list()).total).toBe(0)
  })

  test('makes rules for a group, a user and the built-in groups', async () => {
    await site.addGroup('Editors')
    expect(await create({ path: '/nas//a/', group: 'editors', access: 'write' })).toMatchObject({
      code: 200,
      message: 'success',
      data: { id: 1, warnings: [] },
    })
    await addRule('/nas\\a', { uid: ALICE }, 'read')
    await addRule('/nas/a', { group: 'User' }, 'none')
    await addRule('/', { group: 'guest' }, 'read')
    expect(await list()).toEqual({
      content: [
        { id: 4, path: '/', group: 'guest', uid: null, username: null, access: 'read' },
        { id: 1, path: '/nas/a', group: 'Editors', uid: null, username: null, access: 'write' },
        { id: 2, path: '/nas/a', group: null, uid: ALICE, username: 'alice', access: 'read' },
        { id: 3, path: '/nas/a', group: 'user', uid: null, username: null, access: 'none' },
      ],
      total: 4,
    })
  })

  const right = { path: '/a', uid: BOB, access: 'read' }
  test.each<[Body, number, string]>([
    [{ ...right, path: undefined }, 400, 'path is required'],
    [{ ...right, path: '' }, 400, 'path is required'],
    ...['a', ' /a', '\\a', '/a/..', '/../a', '/a\\..\\b', '/a\n', '/a\u007f', '/\ud800'].map(
      (path): [Body, number, string] => [
        { ...right, path },
        400,
        "path must be a folder's full path",
      ],
    ),
    [{ ...right, path: `/${'x'.repeat(1000)}` }, 400, "path must be a folder's full path"],
    [{ ...right, uid: undefined }, 400, 'group or uid is required'],
    [{ ...right, uid: null, group: '' }, 400, 'group or uid is required'],
    [{ ...right, group: 'editors' }, 400, 'group or uid is required'],
    [{ ...right, access: undefined }, 400, 'access must be none, read or write'],
    [{ ...right, access: 'READ' }, 400, 'access must be none, read or write'],
    [{ ...right, uid: 1 }, 400, 'admins have every right'],
    [{ ...right, uid: null, group: 'Admin' }, 400, 'admins have every right'],
    [{ ...right, uid: null, group: 'nobody' }, 404, 'no such group'],
    [{ ...right, uid: 99 }, 404, 'user invalid'],
    [{ path: '/taken/', uid: ALICE, access: 'none' }, 409, 'this folder has such a rule'],
    [{ path: '/taken', group: 'guest', access: 'none' }, 409, 'this folder has such a rule'],
    [{ path: '/taken', group: 'EDITORS', access: 'none' }, 409, 'this folder has such a rule'],
  ])('refuses %j', async (body, code, message) => {
    await site.addGroup('editors')
    for (const whose of [{ uid: ALICE }, { group: 'guest' }, { group: 'editors' }])
      await addRule('/taken', whose, 'read')
    expect(await create(body)).toEqual({ code, message, data: null })
    expect((await list()).total).toBe(3)
  })

  test('keeps 1000 rules and 200 folders at most', async () => {
    const rows = Array.from({ length: 199 }, (_, i) => ({ path: `/f${i}`, userId: ALICE }))
    await insert(rows)
    await addRule('/f199', { uid: ALICE }, 'read')
    expect(await create({ path: '/f200', uid: ALICE, access: 'read' })).toMatchObject({
      code: 400,
      message: 'at most 200 folders have rules',
    })
    expect((await create({ path: '/f0', uid: BOB, access: 'read' })).code).toBe(200)
    await insert(Array.from({ length: 798 }, (_, i) => ({ path: '/f1', userId: 1000 + i })))
    expect((await create({ path: '/f2', uid: BOB, access: 'read' })).code).toBe(200)
    expect(await create({ path: '/f3', uid: BOB, access: 'read' })).toMatchObject({
      code: 400,
      message: 'a site has at most 1000 folder rules',
    })
  })

  test('makes one of two same rules at once', async () => {
    const both = await Promise.all(
      ['read', 'write'].map((access) => create({ path: '/a', uid: ALICE, access })),
    )
    expect(both.map(({ code }) => code).toSorted((a, b) => a - b)).toEqual([200, 409])
  })

  test('refuses users, and admins who have not signed in lately', async () => {
    const call = { token: alice }
    const refused = await site.post('/api/admin/folder_rule/create', right, call)
    expect(refused).toMatchObject({ code: 403, message: 'You are not an admin' })
    await create(right)
    site.now += HOUR
    const stale = 'Sign in again or confirm to do this'
    expect((await create({ ...right, path: '/b' })).message).toBe(stale)
    const changed = await site.admin('POST', 'folder_rule/update', { id: 1, access: 'none' })
    expect(changed.message).toBe(stale)
    expect((await site.admin('POST', 'folder_rule/delete?id=1')).message).toBe(stale)
    expect(await list()).toMatchObject({ content: [{ id: 1, access: 'read' }], total: 1 })
  })
})

describe('POST /api/admin/folder_rule/update and /delete', () => {
  test('change the access of a rule, and delete it', async () => {
    const id = await addRule('/a', { uid: ALICE }, 'read')
    expect((await site.admin('POST', 'folder_rule/update', { id, access: 'write' })).code).toBe(200)
    expect(await list()).toMatchObject({ content: [{ id, access: 'write' }] })
    expect((await site.admin('POST', `folder_rule/delete?id=${id}`)).code).toBe(200)
    expect(await list()).toEqual({ content: [], total: 0 })
  })

  const changes: [string, (id: number) => Promise<{ code: number }>][] = [
    ['create', () => create({ path: '/a/b', uid: BOB, access: 'read' })],
    ['update', (id) => site.admin('POST', 'folder_rule/update', { id, access: 'none' })],
    ['delete', (id) => site.admin('POST', `folder_rule/delete?id=${id}`)],
    [
      'a new member',
      async () => {
        const id = await site.addGroup('staff')
        await site.addRule('/b', { group: 'staff' }, 'read')
        site.openlist.sent.splice(0)
        return site.admin('POST', 'group/member/add', { id, users: [ALICE] })
      },
    ],
  ]
  const VERSION = { key: 'version', value: 'v4.2.5' }

  // OpenList gives a file that has gone to who may read its path, while somebody downloads it.
  test.each(changes)('%s makes OpenList forget its links', async (name, change) => {
    await site.post('/api/fs/list', { path: '/' }, { token: alice })
    const id = await addRule('/a', { group: 'user' }, 'read')
    site.openlist.sent.splice(0)
    expect(await change(id)).toMatchObject({ code: 200 })
    const sent = site.openlist.sent.filter(({ path }) => /setting\/save|meta\/[cud]/.test(path))
    // A new rule waits for what takes the folder elsewhere, and looks for it then.
    const saved = sent.splice(name === 'create' ? -1 : 0, 1)[0]
    expect(saved?.path).toBe('/api/admin/setting/save')
    expect(JSON.parse(saved?.body ?? '')).toMatchObject([VERSION])
    expect(sent).not.toEqual([])
  })

  test.each(changes)('%s is made when OpenList forgets nothing', async (_, change) => {
    const id = await addRule('/a', { uid: ALICE }, 'read')
    site.openlist.answer = ({ path }) =>
      path.startsWith('/api/admin/setting/')
        ? Response.json({ code: 500, message: 'failed', data: null })
        : undefined
    expect(await change(id)).toMatchObject({ code: 200 })
    expect(await isSettled(site)).toBe(true)
  })

  test.each<[string, Body | undefined, number, string]>([
    ['update', { id: 1, access: 'all' }, 400, 'access must be none, read or write'],
    ['update', { id: 1 }, 400, 'access must be none, read or write'],
    ['update', { id: 9, access: 'none' }, 404, 'no such folder rule'],
    ['delete?id=9', undefined, 404, 'no such folder rule'],
    ['delete?id=x', undefined, 400, 'id format invalid'],
  ])('%s refuses %j', async (call, body, code, message) => {
    await addRule('/a', { uid: ALICE }, 'read')
    const refused = await site.admin('POST', `folder_rule/${call}`, body)
    expect(refused).toEqual({ code, message, data: null })
    expect(await list()).toMatchObject({ content: [{ access: 'read' }] })
  })
})

describe('GET /api/admin/folder_rule/list', () => {
  test('filters by folder, group and user, in pages', async () => {
    await site.addGroup('editors')
    await addRule('/a', { group: 'editors' }, 'read')
    await addRule('/a/b', { uid: ALICE }, 'read')
    await addRule('/b', { uid: ALICE }, 'none')
    await addRule('/b', { group: 'user' }, 'none')
    const ids = async (query: string) =>
      (await list(query)).content.map(({ id }: { id: number }) => id)
    expect(await ids('?path=/a/')).toEqual([1])
    expect(await ids('?group=Editors')).toEqual([1])
    expect(await ids('?group=user')).toEqual([4])
    expect(await ids('?group=admin')).toEqual([])
    expect(await ids(`?uid=${ALICE}`)).toEqual([2, 3])
    expect(await ids(`?uid=${ALICE}&path=/b`)).toEqual([3])
    expect(await list('?page=2&per_page=3')).toMatchObject({ content: [{ id: 4 }], total: 4 })
    expect(await site.admin('GET', 'folder_rule/list?group=nobody')).toMatchObject({
      code: 404,
      message: 'no such group',
    })
    expect(await site.admin('GET', 'folder_rule/list?path=b')).toMatchObject({ code: 400 })
  })

  test('keeps the rules of a deleted user, without a name', async () => {
    await addRule('/a', { uid: ALICE }, 'read')
    await site.admin('POST', `user/delete?id=${ALICE}`)
    expect((await list()).content).toEqual([
      { id: 1, path: '/a', group: null, uid: ALICE, username: null, access: 'read' },
    ])
    expect(await check(BOB, '/a')).toEqual({ access: 'none', rule: null, reach: true })
  })
})

describe('GET /api/admin/folder_rule/check', () => {
  test('tells what a user may do at a folder, and by which rule', async () => {
    await site.addGroup('editors', [ALICE])
    const editors = await addRule('/nas', { group: 'editors' }, 'write')
    const none = await addRule('/nas/closed', { uid: ALICE }, 'none')
    const guest = await addRule('/nas/public', { group: 'guest' }, 'read')
    expect(await check(ALICE, '/nas/x/y')).toEqual({ access: 'write', rule: editors, reach: true })
    expect(await check(ALICE, '/nas\\./closed/')).toMatchObject({ access: 'none', rule: none })
    expect(await check(BOB, '/nas')).toEqual({ access: 'none', rule: null, reach: true })
    expect(await check(BOB, '/other')).toEqual({ access: 'open', rule: null, reach: true })
    expect(await check(BOB, '/Nas')).toEqual({
      access: 'none',
      rule: null,
      reach: true,
      other_spelling_of: '/nas',
    })
    expect(await check(1, '/Nas')).toEqual({ access: 'write', rule: null, reach: true })
    expect(await check(1, '/nas/closed')).toEqual({ access: 'write', rule: null, reach: true })
    expect(await check(GUEST, '/nas/public/x')).toMatchObject({ access: 'read', rule: guest })
  })

  test('tells whether the base path hides the folder', async () => {
    await site.admin('POST', 'user/update', { id: CAROL, username: 'carol', base_path: '/nas/a' })
    for (const [path, reach] of [
      ['/nas/a', true],
      ['/nas/a/b', true],
      ['/nas/ab', false],
      ['/nas', false],
    ] as const)
      expect((await check(CAROL, path)).reach, path).toBe(reach)
  })

  test.each([
    ['uid=99&path=/', 404, 'user invalid'],
    ['path=/', 400, 'user id format invalid'],
    ['uid=x&path=/', 400, 'user id format invalid'],
    ['uid=3', 400, 'path is required'],
    ['uid=3&path=a', 400, "path must be a folder's full path"],
  ])('refuses %s', async (query, code, message) => {
    expect(await site.admin('GET', `folder_rule/check?${query}`)).toEqual({
      code,
      message,
      data: null,
    })
  })
})

describe('folder rules of a site without a file server', () => {
  test('can be listed and checked, and not be written', async () => {
    const plain = new CheapSite()
    plain.now = site.now
    const id = await addRule('/a', { uid: ALICE }, 'read')
    const call = { token: admin }
    const refused = { code: 403, message: 'there is no file server', data: null }
    const path = '/api/admin/folder_rule'
    const right = { path: '/b', uid: ALICE, access: 'read' }
    expect(await plain.post(`${path}/create`, right, call)).toEqual(refused)
    expect(await plain.post(`${path}/update`, { id, access: 'none' }, call)).toEqual(refused)
    expect(await plain.post(`${path}/delete?id=${id}`, undefined, call)).toEqual(refused)
    expect((await plain.get(`${path}/list`, call)).data.total).toBe(1)
    expect((await plain.get(`${path}/check?uid=${BOB}&path=/a`, call)).data.access).toBe('none')
  })
})

describe('events of folder rules', () => {
  test('tell whose right changed, and how', async () => {
    await site.addGroup('editors')
    await addRule('/a', { group: 'editors' }, 'read')
    const id = await addRule('/a', { uid: ALICE }, 'read')
    await create({ path: '/a', uid: ALICE, access: 'write' })
    await site.admin('POST', 'folder_rule/update', { id, access: 'read' })
    await site.admin('POST', 'folder_rule/update', { id, access: 'write' })
    await site.admin('POST', `folder_rule/delete?id=${id}`)
    const all = await site.db.select().from(auditEvents).orderBy(auditEvents.id)
    const lines = all.map(({ kind, detail }) => `${kind} ${detail}`)
    expect(lines.filter((line) => line.startsWith('folder_'))).toEqual([
      'folder_rule_created /a: editors read',
      'folder_rule_created /a: alice read',
      'folder_rule_changed /a: alice read → write',
      'folder_rule_deleted /a: alice write',
    ])
  })
})

async function version(): Promise<string | undefined> {
  const [state] = await site.db.select().from(folderState)
  return state?.version
}

describe('the state of folders', () => {
  test.each<[string, () => Promise<unknown>]>([
    ['a rule is created', () => addRule('/b', { uid: BOB }, 'read')],
    ['a rule changes', () => site.admin('POST', 'folder_rule/update', { id: 1, access: 'none' })],
    ['a rule is deleted', () => site.admin('POST', 'folder_rule/delete?id=1')],
    [
      'a user is added to a group',
      () => site.admin('POST', 'group/member/add', { id: 1, users: [BOB] }),
    ],
    [
      'a user leaves a group',
      () => site.admin('POST', 'group/member/remove', { id: 1, users: [ALICE] }),
    ],
    ['a user is created', () => site.admin('POST', 'user/create', { username: 'dora', role: 0 })],
    ['a user is deleted', () => site.admin('POST', `user/delete?id=${BOB}`)],
    [
      'the guest is switched on',
      () => site.admin('POST', 'user/update', { id: GUEST, username: 'guest', disabled: false }),
    ],
  ])('is another one after %s', async (_, act) => {
    await site.addGroup('editors', [ALICE])
    await addRule('/a', { group: 'editors' }, 'read')
    const before = await version()
    await act()
    expect(await version()).not.toBe(before)
  })

  test('stays without rules, and when a group has none', async () => {
    const before = await version()
    await site.admin('POST', 'user/create', { username: 'dora', role: 0 })
    await site.addGroup('editors', [ALICE])
    expect(await version()).toBe(before)
  })
})
