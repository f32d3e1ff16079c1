import { beforeEach, describe, expect, test } from 'vitest'
import { auditEvents, groupMembers, groups, settings } from '../../schema/tables.ts'
import { dbWithPause } from '../support/paused-db.ts'
import { HOUR, NOW } from '../support/site.ts'
import { arrangeGroups, type GroupsSite } from './groups-site.ts'

let site: GroupsSite
let alice: string

beforeEach(async () => {
  const arranged = await arrangeGroups()
  site = arranged.site
  alice = arranged.alice
})

const [ALICE, BOB] = [3, 4]
const CREATED = '2026-11-21T09:15:06.565+00:00'

const lineOf = ({ kind, detail }: { kind: string; detail: string }) => `${kind} ${detail}`

const members = async (id: number) =>
  (await site.admin('GET', `group/member/list?id=${id}`)).data.content

/** Puts groups into the database, and perhaps Alice into them. */
async function fill(count: number, withAlice = false): Promise<void> {
  const names = Array.from({ length: count }, (_, i) => `g${i}`)
  for (let i = 0; i < count; i += 20) {
    const rows = names.slice(i, i + 20)
    const made = await site.db
      .insert(groups)
      .values(rows.map((name) => ({ name, nameKey: name, createdAt: NOW })))
      .returning({ id: groups.id })
    if (withAlice) {
      const memberships = made.map(({ id }) => ({ groupId: id, userId: ALICE }))
      const rest = { addedAt: NOW, addedBy: null, source: 'command' }
      await site.db.insert(groupMembers).values(memberships.map((row) => ({ ...row, ...rest })))
    }
  }
}

describe('POST /api/admin/group/create', () => {
  test('makes a group, with blanks around its name cut', async () => {
    expect(
      await site.admin('POST', 'group/create', { name: ' Editors ', note: 'They write.' }),
    ).toEqual({
      code: 200,
      message: 'success',
      data: { id: 1 },
    })
    expect((await site.admin('GET', 'group/get?id=1')).data).toEqual({
      id: 1,
      name: 'Editors',
      note: 'They write.',
      members: 0,
      rules: 0,
      created_at: CREATED,
    })
  })

  test.each([
    [{}, 400, 'name is required'],
    [{ name: null }, 400, 'name is required'],
    [{ name: '  ' }, 400, 'name is required'],
    [{ name: 'x'.repeat(65) }, 400, 'name is too long'],
    ...[',', ';', '|', '"', '/', '\\', '\u0000', '\n', '\u007f', '\u202e', '\ud800'].map(
      (character): [object, number, string] => [
        { name: `a${character}b` },
        400,
        'name has characters that are not allowed',
      ],
    ),
    ...['user', 'Guest', 'ADMIN', 'users', 'admins', 'guests', 'everyone', 'webdav-read'].map(
      (name): [object, number, string] => [{ name }, 400, 'this name is reserved'],
    ),
    ...['webdav-write', 'sftp-read', 'SFTP-write', ' user '].map(
      (name): [object, number, string] => [{ name }, 400, 'this name is reserved'],
    ),
    [{ name: 'a', note: 'x'.repeat(201) }, 400, 'note is too long'],
    [{ name: 7 }, 400, 'name must be a string'],
    [{ name: 'EDITORS' }, 409, 'a group with this name exists'],
    [{ name: 'e\u0301quipe' }, 409, 'a group with this name exists'],
    [{ name: 'Ｅditors' }, 409, 'a group with this name exists'],
    [{ name: 'Ａdmin' }, 400, 'this name is reserved'],
    [{ name: 'ｅveryone' }, 400, 'this name is reserved'],
    // Letters of the Cyrillic and the Greek alphabet.
    [{ name: '\u0435d\u0456\u0442\u043er\u0455' }, 409, 'a group with this name exists'],
    [{ name: '\u0395DIT\u039fRS' }, 409, 'a group with this name exists'],
    [{ name: 'us\u0435r' }, 400, 'this name is reserved'],
    [{ name: '\u0410DMIN' }, 400, 'this name is reserved'],
    [{ name: 'webdav-\u200bread' }, 400, 'name has characters that are not allowed'],
  ])('refuses %j', async (body, code, message) => {
    await site.addGroup('editors')
    await site.addGroup('ÉQUIPE')
    expect(await site.admin('POST', 'group/create', body)).toEqual({ code, message, data: null })
    expect((await site.admin('GET', 'group/list')).data.total).toBe(2)
  })

  test('takes names of other alphabets, one of two that look the same', async () => {
    // The third is Latin, the second and the fourth are Cyrillic.
    const names = ['Совет', 'соре', 'cope', 'СОРЕ', 'Ομάδα', 'отдел IT', 'Mop']
    const codes = []
    for (const name of names) {
      const { code } = await site.admin('POST', 'group/create', { name })
      codes.push(code)
    }
    expect(codes).toEqual([200, 200, 409, 409, 200, 200, 200])
    const renamed = await site.admin('POST', 'group/update', { id: 1, name: 'соpе' })
    expect(renamed.message).toBe('a group with this name exists')
    expect((await site.admin('POST', 'group/update', { id: 2, name: 'cope' })).code).toBe(200)
  })

  test('takes 64 characters and a note of 200', async () => {
    const body = { name: '👪'.repeat(64), note: '👪'.repeat(200) }
    expect((await site.admin('POST', 'group/create', body)).code).toBe(200)
  })

  test('makes 200 groups at most', async () => {
    await fill(199)
    expect((await site.admin('POST', 'group/create', { name: 'last' })).code).toBe(200)
    expect(await site.admin('POST', 'group/create', { name: 'more' })).toMatchObject({
      code: 400,
      message: 'a site has at most 200 groups',
    })
  })

  test('refuses users, and admins who have not signed in lately', async () => {
    const body = { name: 'editors' }
    expect(await site.post('/api/admin/group/create', body, { token: alice })).toMatchObject({
      code: 403,
      message: 'You are not an admin',
    })
    site.now += HOUR
    expect((await site.admin('POST', 'group/create', body)).message).toBe(
      'Sign in again or confirm to do this',
    )
  })

  test('makes one of two groups of the same name at once', async () => {
    const both = await Promise.all(
      ['Editors', 'editors'].map((name) => site.admin('POST', 'group/create', { name })),
    )
    expect(both.map(({ code }) => code).toSorted((a, b) => a - b)).toEqual([200, 409])
  })
})

describe('GET /api/admin/group/list', () => {
  test('lists groups by name in any case, in pages', async () => {
    await site.addGroup('beta', [ALICE, BOB])
    await site.addGroup('Gamma')
    await site.addGroup('Alpha', [ALICE])
    const { data } = await site.admin('GET', 'group/list')
    expect(data.total).toBe(3)
    expect(data.content).toEqual([
      { id: 3, name: 'Alpha', note: '', members: 1, rules: 0, created_at: CREATED },
      { id: 1, name: 'beta', note: '', members: 2, rules: 0, created_at: CREATED },
      { id: 2, name: 'Gamma', note: '', members: 0, rules: 0, created_at: CREATED },
    ])
    const second = await site.admin('GET', 'group/list?page=2&per_page=2')
    expect(second.data).toMatchObject({ content: [{ name: 'Gamma' }], total: 3 })
  })

  test('lists the groups of a user', async () => {
    await site.addGroup('beta', [BOB])
    await site.addGroup('alpha', [ALICE])
    expect((await site.admin('GET', `group/list?uid=${BOB}`)).data).toMatchObject({
      content: [{ name: 'beta' }],
      total: 1,
    })
    expect(await site.admin('GET', 'group/list?uid=99')).toMatchObject({
      code: 404,
      message: 'user invalid',
    })
  })
})

const inSettings = async (): Promise<unknown> => {
  const { data } = await site.admin('GET', 'setting/list')
  return Object.fromEntries(
    data
      .filter(({ key }: { key: string }) => /^(?:register_groups|sso_group_map)$/.test(key))
      .map(({ key, value }: { key: string; value: string }) => [key, value]),
  )
}
const save = (wanted: object) =>
  site.admin(
    'POST',
    'setting/save',
    Object.entries(wanted).map(([key, value]) => ({ key, value })),
  )

describe('POST /api/admin/group/update', () => {
  test('changes the name, the note or both, and keeps the rest', async () => {
    const id = await site.addGroup('editors', [ALICE])
    const update = (body: object) => site.admin('POST', 'group/update', { id, ...body })
    expect(await update({ note: 'They write.' })).toEqual({
      code: 200,
      message: 'success',
      data: null,
    })
    await update({ name: 'Editors' })
    expect((await site.admin('GET', 'group/get?id=1')).data).toMatchObject({
      name: 'Editors',
      note: 'They write.',
      members: 1,
    })
    await update({ name: 'Writers', note: '' })
    expect((await site.admin('GET', 'group/get?id=1')).data).toMatchObject({
      name: 'Writers',
      note: '',
    })
  })

  test('renames the group in the settings that name it', async () => {
    const id = await site.addGroup('Équipe')
    await site.addGroup('board')
    await save({
      register_groups: 'board, éQUIPE',
      sso_group_map: '{"a": "équipe", "b": "board", "équipe": "ÉQUIPE"}',
    })
    expect(await site.admin('POST', 'group/update', { id, name: 'Team' })).toMatchObject({
      code: 200,
    })
    expect(await inSettings()).toEqual({
      register_groups: 'board, Team',
      sso_group_map: '{"a":"Team","b":"board","équipe":"Team"}',
    })
    expect(await site.admin('POST', 'group/update', { id, name: 'Board' })).toMatchObject({
      code: 409,
    })
    await site.admin('POST', 'group/update', { id, note: 'x' })
    expect((await site.admin('GET', `group/get?id=${id}`)).data).toMatchObject({
      name: 'Team',
      note: 'x',
    })
    expect(await inSettings()).toMatchObject({ register_groups: 'board, Team' })
  })

  test('renames it in a setting that is saved meanwhile', async () => {
    const id = await site.addGroup('staff')
    // The first round trip has read the settings.
    const saved = { key: 'register_groups', value: 'staff' }
    const { db } = site.deps
    Object.assign(site.deps, {
      db: dbWithPause(async () => site.db.insert(settings).values(saved)),
    })
    const renamed = await site.admin('POST', 'group/update', { id, name: 'team' })
    Object.assign(site.deps, { db })
    expect(renamed).toMatchObject({ code: 200 })
    expect(await inSettings()).toMatchObject({ register_groups: 'team' })
    expect((await site.admin('GET', `group/get?id=${id}`)).data).toMatchObject({ name: 'team' })
    const events = await site.db.select().from(auditEvents)
    expect(events.filter(({ kind }) => kind === 'group_changed').map(lineOf)).toEqual([
      'group_changed staff → team',
    ])
  })

  test.each([
    [{ id: 1, name: '' }, 400, 'name is required'],
    [{ id: 1, name: 'guest' }, 400, 'this name is reserved'],
    [{ id: 1, name: 'Board' }, 409, 'a group with this name exists'],
    [{ id: 1, note: 'x'.repeat(201) }, 400, 'note is too long'],
    [{ id: 9, name: 'other' }, 404, 'no such group'],
    [{ name: 'other' }, 400, 'id is required'],
  ])('refuses %j', async (body, code, message) => {
    await site.addGroup('editors')
    await site.addGroup('board')
    expect(await site.admin('POST', 'group/update', body)).toEqual({ code, message, data: null })
    expect((await site.admin('GET', 'group/get?id=1')).data.name).toBe('editors')
  })
})

describe('POST /api/admin/group/delete', () => {
  test('deletes a group, and nobody is in it any more', async () => {
    const id = await site.addGroup('editors', [ALICE])
    expect(await site.admin('POST', `group/delete?id=${id}`)).toEqual({
      code: 200,
      message: 'success',
      data: null,
    })
    expect(await site.db.select().from(groupMembers)).toEqual([])
    for (const path of [`group/get?id=${id}`, `group/member/list?id=${id}`])
      expect(await site.admin('GET', path)).toMatchObject({ code: 404, message: 'no such group' })
    expect((await site.admin('POST', `group/delete?id=${id}`)).message).toBe('no such group')
  })

  test('takes the group out of the settings that name it', async () => {
    const id = await site.addGroup('Équipe')
    await site.addGroup('board')
    await save({
      register_groups: 'board, éQUIPE',
      sso_group_map: '{"a": "équipe", "équipe": "board"}',
    })
    expect((await site.admin('POST', `group/delete?id=${id}`)).code).toBe(200)
    expect(await inSettings()).toEqual({
      register_groups: 'board',
      sso_group_map: '{"équipe":"board"}',
    })
    await site.admin('POST', 'group/delete?id=2')
    expect(await inSettings()).toEqual({ register_groups: '', sso_group_map: '' })
  })

  test('takes it out of a setting that is saved meanwhile', async () => {
    const id = await site.addGroup('staff')
    // The first round trip has read the settings.
    const saved = { key: 'register_groups', value: 'staff' }
    const { db } = site.deps
    Object.assign(site.deps, {
      db: dbWithPause(async () => site.db.insert(settings).values(saved)),
    })
    const deleted = await site.admin('POST', `group/delete?id=${id}`)
    Object.assign(site.deps, { db })
    expect(deleted).toMatchObject({ code: 200 })
    expect(await inSettings()).toMatchObject({ register_groups: '' })
    const events = await site.db.select().from(auditEvents)
    expect(events.filter(({ kind }) => kind === 'group_deleted')).toHaveLength(1)
  })

  test('refuses a group that folder rules name, which settings name on', async () => {
    const id = await site.addGroup('editors')
    await save({ register_groups: 'editors' })
    await site.admin('POST', 'folder_rule/create', { path: '/a', group: 'editors', access: 'read' })
    expect(await site.admin('POST', `group/delete?id=${id}`)).toEqual({
      code: 409,
      message: 'folder rules name this group',
      data: null,
    })
    expect((await site.admin('GET', `group/get?id=${id}`)).data.rules).toBe(1)
    expect(await inSettings()).toMatchObject({ register_groups: 'editors' })
  })
})

describe('POST /api/admin/group/member/add and /remove', () => {
  test('adds and removes users; twice is no error', async () => {
    const id = await site.addGroup('editors')
    const users = [BOB, ALICE, BOB, 1]
    for (let i = 0; i < 2; i++)
      expect(await site.admin('POST', 'group/member/add', { id, users })).toEqual({
        code: 200,
        message: 'success',
        data: null,
      })
    const by = { added_at: CREATED, added_by: 'admin' }
    expect(await members(id)).toEqual([
      { id: 1, username: 'admin', ...by },
      { id: ALICE, username: 'alice', ...by },
      { id: BOB, username: 'bob', ...by },
    ])
    for (let i = 0; i < 2; i++)
      expect((await site.admin('POST', 'group/member/remove', { id, users: [1, BOB] })).code).toBe(
        200,
      )
    expect(await members(id)).toMatchObject([{ username: 'alice' }])
    const page = await site.admin('GET', `group/member/list?id=${id}&page=2&per_page=1`)
    expect(page.data).toEqual({ content: [], total: 1 })
  })

  test.each([
    ['add', { id: 1 }, 400, 'users is required'],
    ['add', { id: 1, users: [] }, 400, 'users is required'],
    ['remove', { id: 1, users: [] }, 400, 'users is required'],
    ['add', { id: 1, users: ['x'] }, 400, 'users.0 must be a number'],
    ['add', { id: 9, users: [ALICE] }, 404, 'no such group'],
    ['remove', { id: 9, users: [ALICE] }, 404, 'no such group'],
    ['add', { id: 1, users: [ALICE, 99] }, 404, 'user invalid'],
    ['remove', { id: 1, users: [BOB, 99] }, 404, 'user invalid'],
    ['add', { id: 1, users: [ALICE, 2] }, 400, 'the guest is in no group'],
    [
      'add',
      { id: 1, users: Array.from({ length: 501 }, (_, i) => i) },
      400,
      'users must have at most 500 entries',
    ],
  ])('%s refuses %j as a whole', async (call, body, code, message) => {
    await site.addGroup('editors', [BOB])
    expect(await site.admin('POST', `group/member/${call}`, body)).toEqual({
      code,
      message,
      data: null,
    })
    expect(await members(1)).toMatchObject([{ username: 'bob' }])
  })

  test('puts a user into 50 groups at most', async () => {
    await fill(50, true)
    const id = await site.addGroup('one more')
    expect(await site.admin('POST', 'group/member/add', { id, users: [BOB, ALICE] })).toEqual({
      code: 400,
      message: 'a user is in at most 50 groups',
      data: null,
    })
    expect(await members(id)).toEqual([])
    // Who is a member already is no error.
    expect((await site.admin('POST', 'group/member/add', { id: 1, users: [ALICE] })).code).toBe(200)
  })

  test('forgets members who are deleted, and keeps those who are disabled', async () => {
    const id = await site.addGroup('editors', [ALICE, BOB])
    await site.admin('POST', 'user/update', { id: ALICE, username: 'alice', disabled: true })
    await site.admin('POST', `user/delete?id=${BOB}`)
    expect(await members(id)).toMatchObject([{ username: 'alice' }])
  })
})

describe('events of groups', () => {
  test('tell operators of every change, once, and members of theirs', async () => {
    const id = await site.addGroup('editors', [ALICE])
    await site.admin('POST', 'group/member/add', { id, users: [ALICE, BOB] })
    await site.admin('POST', 'group/update', { id, name: 'editors', note: '' })
    await site.admin('POST', 'group/update', { id, name: 'Writers' })
    await site.admin('POST', 'group/update', { id, note: 'They write.' })
    await site.admin('POST', 'group/member/remove', { id, users: [ALICE] })
    await site.admin('POST', 'group/delete?id=99')
    await site.admin('POST', `group/delete?id=${id}`)
    const all = await site.db.select().from(auditEvents).orderBy(auditEvents.id)
    const ofGroups = all.filter(({ kind }) => kind.startsWith('group_'))
    expect(ofGroups.map(lineOf)).toEqual([
      'group_created editors',
      'group_member_added editors',
      'group_member_added editors',
      'group_changed editors → Writers',
      'group_changed Writers',
      'group_member_removed Writers',
      'group_deleted Writers',
    ])
    expect(ofGroups.map(({ userId, actorId }) => [userId, actorId])).toEqual([
      [null, 1],
      [ALICE, 1],
      [BOB, 1],
      [null, 1],
      [null, 1],
      [ALICE, 1],
      [null, 1],
    ])
    const { data } = await site.get('/api/me/events', { token: alice })
    expect(data.content.map(lineOf).slice(0, 2)).toEqual([
      'group_member_removed Writers',
      'group_member_added editors',
    ])
  })
})

describe('GET /api/me/groups', () => {
  test('names the groups of the caller, the built-in one first', async () => {
    await site.addGroup('beta', [ALICE, 1])
    await site.addGroup('Alpha', [ALICE])
    expect(await site.get('/api/me/groups', { token: alice })).toEqual({
      code: 200,
      message: 'success',
      data: { content: ['user', 'Alpha', 'beta'], total: 3 },
    })
    expect((await site.get('/api/me/groups', { token: site.adminToken })).data.content).toEqual([
      'admin',
      'beta',
    ])
  })

  test('refuses the guest', async () => {
    expect((await site.get('/api/me/groups')).code).toBe(401)
  })
})
