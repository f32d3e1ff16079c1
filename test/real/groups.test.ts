import { existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { StandInMetas, type StandInMeta } from '../support/openlist-metas.ts'
import { FilesSite } from './files-site.ts'

const OPENLIST = process.env['OPENLIST_BIN']
const CLIENT = process.env['OPENLIST_CLIENT_DIST']

const USERS = 500
const FOLDERS = 200
const RULES_OF_A_FOLDER = 5
const REFUSED = { code: 403 }

let site: FilesSite

const metas = async (): Promise<StandInMeta[]> =>
  (await site.openlist.asAdmin('GET', '/api/admin/meta/list')).content
const metaAt = async (path: string) => (await metas()).find((meta) => meta.path === path)
const addRule = (path: string, whose: object, access: string) =>
  site.asAdmin('POST', '/api/admin/folder_rule/create', { path, ...whose, access })

const numbers = (count: number) =>
  `with recursive n(i) as (select 1 union all select i + 1 from n where i < ${count})`

describe.skipIf(OPENLIST === undefined)('folder rules in front of a real OpenList', () => {
  beforeAll(async () => {
    site = await FilesSite.start(OPENLIST ?? '', CLIENT === undefined ? {} : { webClient: CLIENT })
    for (const folder of ['nas/closed', 'nas/open', 'pub', 'ended', 'free'])
      mkdirSync(join(site.folder, folder), { recursive: true })
    writeFileSync(join(site.folder, 'nas/closed/a.txt'), 'a')
  })

  afterAll(() => site.remove())

  test('a rule is in force with the answer, for those whom it gives and takes', async () => {
    const [alice, bob] = [await site.addUser('alice'), await site.addUser('bob')]
    for (const token of [alice, bob])
      expect(await site.list(token, '/nas/closed')).toMatchObject({ code: 200 })
    const { id } = await site.user('alice')
    const made = await addRule('/nas/closed', { uid: id }, 'read')
    expect(made).toMatchObject({ waiting: 0 })
    expect(await site.list(alice, '/nas/closed')).toMatchObject({ code: 200 })
    expect(await site.list(bob, '/nas/closed')).toMatchObject(REFUSED)
    const carol = await site.addUser('carol')
    expect(await site.list(carol, '/nas/closed')).toMatchObject(REFUSED)
    const group = await site.asAdmin('POST', '/api/admin/group/create', { name: 'staff' })
    await addRule('/nas/closed', { group: 'staff' }, 'write')
    const users = [(await site.user('bob'))['id']]
    await site.asAdmin('POST', '/api/admin/group/member/add', { id: group.id, users })
    expect(await site.list(bob, '/nas/closed')).toMatchObject({ code: 200 })
    await site.asAdmin('POST', '/api/admin/group/member/remove', { id: group.id, users })
    expect(await site.list(bob, '/nas/closed')).toMatchObject(REFUSED)
  })

  test('what is changed at OpenList itself comes back with a sync', async () => {
    const before = await metaAt('/nas/closed')
    await site.openlist.asAdmin('POST', '/api/admin/meta/delete?id=' + before?.id, {})
    await site.openlist.asAdmin('POST', '/api/admin/meta/create', {
      path: '/nas/closed/sub',
      readme: 'opens it',
    })
    const synced = await site.asAdmin('POST', '/api/admin/folder_rule/sync')
    expect(synced).toMatchObject({ folders: 1, written: 2, waiting: 0 })
    expect(await metaAt('/nas/closed')).toMatchObject({ read_users: before?.read_users })
    expect(await metaAt('/nas/closed/sub')).toMatchObject({
      read_users: before?.read_users,
      readme: 'opens it',
    })
  })

  test('a folder moves with its rules', async () => {
    const alice = (await site.client.signIn('alice', 'alice-Passw0rd')).data.token
    const bob = (await site.client.signIn('bob', 'alice-Passw0rd')).data.token
    const body = { path: '/nas/closed', to: '/pub/moved' }
    expect(await site.asAdmin('POST', '/api/admin/folder_rule/move', body)).toEqual({ waiting: 0 })
    expect(await site.list(alice, '/pub/moved')).toMatchObject({ code: 200, data: { total: 1 } })
    expect(await site.list(bob, '/pub/moved')).toMatchObject(REFUSED)
    expect(await metaAt('/nas/closed')).toBeUndefined()
  })

  test('a share of who may read no more is over with the answer', async () => {
    const bob = (await site.client.signIn('bob', 'alice-Passw0rd')).data.token
    const shared = await site.client.call('POST', '/api/share/create', {
      token: bob,
      body: { files: ['/nas/open'] },
    })
    expect(shared).toMatchObject({ code: 200 })
    const visit = () =>
      site.client.call('POST', '/api/fs/list', { body: { path: `/@s/${shared.data.id}` } })
    expect(await visit()).toMatchObject({ code: 200 })
    await addRule('/nas/open', { uid: (await site.user('alice'))['id'] }, 'read')
    expect((await visit()).code).not.toBe(200)
    // An access that began before enables it again there.
    await site.openlist.asAdmin('POST', `/api/share/enable?id=${shared.data.id}`, {})
    expect(await visit()).toMatchObject({ code: 404 })
  })

  test('a share answers while its user might make it, whatever OpenList knows of the user', async () => {
    const bob = (await site.client.signIn('bob', 'alice-Passw0rd')).data.token
    const body = { files: ['/free'] }
    const shared = await site.client.call('POST', '/api/share/create', { token: bob, body })
    const visit = { body: { path: `/@s/${shared.data.id}` } }
    const codes = async () => {
      const { code } = await site.client.call('POST', '/api/fs/list', visit)
      const there = await site.openlist.client.call('POST', '/api/fs/list', visit)
      return [code, there.code]
    }
    const { disabled, permission, base_path } = (await site.usersThere()).get('bob') ?? {}
    const rights = { disabled, permission, base_path }
    expect(await codes()).toEqual([200, 200])
    for (const changes of [{ disabled: true }, { permission: 0 }, { base_path: '/pub' }]) {
      await site.change('bob', { ...rights, ...changes })
      expect((await codes())[0]).toBe(404)
      await expect.poll(async () => (await site.usersThere()).get('bob')).not.toMatchObject(rights)
      // As OpenList would have it that was down.
      const there = (await site.usersThere()).get('bob')
      const late = { ...there, ...rights, password: '' }
      await site.openlist.asAdmin('POST', '/api/admin/user/update', late)
      expect(await codes()).toEqual([404, 200])
    }
    await site.change('bob', rights)
    await expect.poll(codes).toEqual([200, 200])
  })

  test('a share that is written back after its user was deleted hides no other one', async () => {
    await site.list(await site.addUser('dora'), '/pub')
    const { id } = await site.user('dora')
    const bob = (await site.client.signIn('bob', 'alice-Passw0rd')).data.token
    const share = async (folder: string): Promise<string> => {
      const body = { files: [folder] }
      const made = await site.client.call('POST', '/api/share/create', { token: bob, body })
      expect(made).toMatchObject({ code: 200 })
      return made.data.id
    }
    const [ofNobody, ended, shown] = [
      await share('/ended'),
      await share('/ended'),
      await share('/free'),
    ]
    await site.asAdmin('POST', `/api/admin/user/delete?id=${String(id)}`)
    await expect.poll(async () => (await site.usersThere()).has('dora')).toBe(false)
    // As the row that a visit saves to count itself (`countAccess`).
    const database = new DatabaseSync(site.openlist.database)
    const sql = 'update x_sharing_dbs set creator_id = ? where id = ?'
    expect(database.prepare(sql).run(Number(id), ofNobody).changes).toBe(1)
    database.close()
    const headers = { Authorization: await site.openlist.token() }
    const listed = () => fetch(`${site.openlist.client.url}/api/share/list`, { headers })
    expect((await listed()).status).toBe(500)
    const made = await addRule('/ended', { uid: (await site.user('bob'))['id'] }, 'none')
    expect(made).toMatchObject({ waiting: 1 })
    const { data } = await site.openlist.client.call('GET', `/api/share/get?id=${ended}`, {
      token: headers.Authorization,
    })
    expect(data).toMatchObject({ disabled: true })
    const synced = await site.asAdmin('POST', '/api/admin/folder_rule/sync')
    expect(synced).toMatchObject({ waiting: 0 })
    const { content } = await site.openlist.asAdmin('GET', '/api/share/list')
    const there = new Map<string, boolean>()
    for (const row of content) there.set(row.id, row.disabled)
    expect(there.get(ended)).toBe(true)
    expect(there.get(shown)).toBe(false)
    expect(there.has(ofNobody)).toBe(false)
  })

  test('no file is copied in the place of a folder, which OpenList would delete', async () => {
    const permission = 0xffff
    await site.openlist.addUser('mounter', 'mounter-Passw0rd', permission)
    const addition = {
      vendor: 'other',
      address: `${site.openlist.client.url}/dav/free`,
      username: 'mounter',
      password: 'mounter-Passw0rd',
      root_folder_path: '/',
    }
    const storage = { mount_path: '/second', driver: 'WebDav', addition: JSON.stringify(addition) }
    await site.openlist.asAdmin('POST', '/api/admin/storage/create', storage)
    mkdirSync(join(site.folder, 'free/to/a.txt'), { recursive: true })
    mkdirSync(join(site.folder, 'pub/d'))
    for (const file of ['free/to/a.txt/keep', 'pub/a.txt', 'pub/b.txt', 'pub/d/c.txt'])
      writeFileSync(join(site.folder, file), 'a')
    const bob = (await site.client.signIn('bob', 'alice-Passw0rd')).data.token
    const copy = async (names: string[], how: object, token = bob, dst_dir = '/second/to') => {
      const body = { src_dir: '/pub', dst_dir, names, ...how }
      return (await site.client.call('POST', '/api/fs/copy', { token, body })).code
    }
    const names = ['b.txt', '1', '2', '3', '4', 'a.txt']
    expect(await copy(['a.txt'], {})).toBe(403)
    for (const how of [{ overwrite: true }, { merge: true }])
      for (const some of [['a.txt'], names]) expect(await copy(some, how)).toBe(403)
    const program = ['bob', await site.appPassword(bob)] as const
    const headers = { Destination: '/dav/second/to/a.txt' }
    for (const method of ['COPY', 'MOVE'])
      expect((await site.dav(method, '/pub/a.txt', program, { headers })).status).toBe(403)
    expect(existsSync(join(site.folder, 'free/to/a.txt/keep'))).toBe(true)
    expect(await copy(['b.txt', 'd'], { overwrite: true })).toBe(200)
    expect(await copy(['b.txt', 'd'], { merge: true })).toBe(200)
    expect(await copy(['b.txt', 'd'], { overwrite: true }, bob, '/second/new')).toBe(200)
    for (const file of ['to/b.txt', 'to/d/c.txt', 'new/b.txt', 'new/d/c.txt'])
      await expect.poll(() => existsSync(join(site.folder, 'free', file))).toBe(true)
    // An administrator may, and it is gone.
    const token = await site.adminToken()
    expect(await copy(['a.txt'], { overwrite: true }, token)).toBe(200)
    const isFile = () => statSync(join(site.folder, 'free/to/a.txt')).isFile()
    await expect.poll(isFile).toBe(true)
  })

  test('metas answer as those of the stand-in', async () => {
    const standIn = new StandInMetas()
    const calls: [string, object][] = [
      ['create', { path: '/s\\a//b/', read_users: [1], id: 9000 }],
      ['create', { path: '/s/a/b' }],
      ['create', { path: '/s/c', id: 9000 }],
      ['create', { path: '', id: 9001 }],
      ['create', { path: '/s/c', id: 9001 }],
      ['update', { id: 9001, path: '/s/a/b' }],
      ['update', { id: 9002, path: '/s/d' }],
      ['update', { id: 9000, path: '/s/a/b', write_users: null, readme: 'x' }],
      ['delete?id=9001', {}],
      ['delete?id=9001', {}],
    ]
    for (const [call, body] of calls) {
      const { token } = (await site.openlist.client.signIn('admin', 'old-admin-Passw0rd')).data
      const real = await site.openlist.client.call('POST', `/api/admin/meta/${call}`, {
        token,
        body,
      })
      const [name = '', query = ''] = call.split('?id=')
      const [code, message] =
        (await standIn.answer(name, Number(query), JSON.stringify(body))) ?? []
      expect({ call, code: real.code }).toEqual({ call, code })
      expect(real.message).toContain(message)
    }
    expect((await metas()).filter(({ id }) => id >= 9000)).toEqual(standIn.rows)
    await site.openlist.asAdmin('POST', '/api/admin/meta/delete?id=9000', {})
  })

  test(`${FOLDERS * RULES_OF_A_FOLDER} rules and ${USERS} users: a change is written, a list answered`, async () => {
    const alice = (await site.client.signIn('alice', 'alice-Passw0rd')).data.token
    const listing = await milliseconds(() => site.list(alice, '/pub'))
    fill()
    const all = await milliseconds(async () => {
      for (;;) {
        const { waiting } = await site.asAdmin('POST', '/api/admin/folder_rule/sync')
        if (waiting === 0) break
      }
    })
    const { content } = await site.asAdmin('GET', '/api/admin/folder_rule/list?per_page=100')
    const [{ id }] = content
    const change = await milliseconds(async () => {
      const body = { id, access: 'read' }
      const done = await site.asAdmin('POST', '/api/admin/folder_rule/update', body)
      expect(done).toEqual({ waiting: 0 })
    })
    const rules = await milliseconds(() =>
      site.asAdmin('GET', '/api/admin/folder_rule/list?per_page=1000'),
    )
    const after = await milliseconds(() => site.list(alice, '/pub'))
    console.info('milliseconds:', { all, change, rules, listing, after })
    expect((await metas()).length).toBeGreaterThanOrEqual(FOLDERS - 1)
  })
})

/** Puts users, their users at OpenList, and rules into the database. */
function fill(): void {
  site.clone.sql(`${numbers(USERS)} insert into users
    (id, username, username_key, role, permission, base_path, created_at, sub)
    select 1000 + i, 'user' || i, 'user' || i, 0, 0, '/', 0, 'sub' || i from n`)
  site.clone.sql(`${numbers(USERS)} insert into file_users
    (user_id, remote_id, remote_name, writes, token_made_at)
    select 1000 + i, 1000 + i, 'user' || i, 0, 0 from n`)
  site.clone
    .sql(`${numbers(FOLDERS - 3)} insert into folder_rules (path, user_id, access, created_at)
    select '/many/folder' || i, 1000 + i, 'write', 0 from n`)
  for (const [shift, access] of [
    [100, 'read'],
    [200, 'read'],
    [300, 'none'],
  ])
    site.clone
      .sql(`${numbers(FOLDERS - 3)} insert into folder_rules (path, user_id, access, created_at)
      select '/many/folder' || i, 1000 + i + ${shift}, '${access}', 0 from n`)
  site.clone
    .sql(`${numbers(FOLDERS - 3)} insert into folder_rules (path, built_in, access, created_at)
    select '/many/folder' || i, 'user', 'read', 0 from n`)
}

async function milliseconds(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now()
  await work()
  return Math.round(performance.now() - start)
}
