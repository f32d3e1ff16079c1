import { beforeEach, describe, expect, test } from 'vitest'
import { ADMIN_PASSWORD, HOUR } from '../support/site.ts'
import { RUNNING } from '../support/openlist-tasks.ts'
import { arrangeGroups, type GroupsSite } from './groups-site.ts'

const ALICE = 3
const BOB = 4

let site: GroupsSite
let alice: string

beforeEach(async () => {
  ;({ site, alice } = await arrangeGroups())
  await site.post('/api/fs/list', { path: '/' }, { token: alice })
})

const rules = async () => {
  const { data } = await site.admin('GET', 'folder_rule/list?per_page=100')
  return data.content.map(
    ({ path, group, uid, access }: { path: string; group: string; uid: number; access: string }) =>
      `${path} ${group ?? uid} ${access}`,
  )
}

const adopt = (path: string) => site.admin('POST', 'folder_rule/adopt', { path })
const move = (path: string, to: string) => site.admin('POST', 'folder_rule/move', { path, to })

/** Answers lists of the old path once the folder has moved, as often as said. */
function listLate(times: number): void {
  site.openlist.storages = { '/': 'S3' }
  site.openlist.files['/nas/a/b/secret.txt'] = ''
  let left = 0
  site.openlist.answer = ({ path, body }) => {
    if (path === '/api/fs/rename') left = times
    if (path !== '/api/fs/list' || JSON.parse(body).path !== '/nas/a/b' || left-- <= 0)
      return undefined
    const content = [{ name: 'secret.txt', is_dir: false }]
    return Response.json({ code: 200, message: 'success', data: { content } })
  }
}

const kept = () =>
  site.openlist
    .paths()
    .filter((path) => /fs\/rename|setting\/save|meta\/delete/.test(path))
    .map((path) => path.replace(/^POST \/api\/(?:admin\/)?|\?.*/g, ''))

/** A copy of an administrator that runs. */
const copyTo = (folder: string, name: string) => ({
  kind: 'copy',
  id: 'late',
  name: `copy [/free](/${name}) to [/](${folder})`,
  creator: 'admin',
  creator_role: 2,
  state: RUNNING,
})

describe('POST /api/admin/folder_rule/adopt', () => {
  test.each([
    [{ read_users: [1, ALICE, 77] }, ['/nas user none', '/nas guest none', '/nas 3 write']],
    [
      { read_users: [ALICE], write_users: [1] },
      ['/nas user none', '/nas guest none', '/nas 3 read'],
    ],
    [{ write_users: [1, ALICE] }, ['/nas user read', '/nas 3 write']],
    [{ read_users: [1], write_users: [ALICE] }, ['/nas user none', '/nas guest none']],
  ])('makes rules of %j', async (lists, made) => {
    site.openlist.metas.put({ path: '/nas', ...lists })
    expect(await adopt('/')).toMatchObject({ code: 200, data: { rules: made.length, waiting: 0 } })
    expect(await rules()).toEqual(made)
    expect(site.openlist.metas.at('/nas')).toMatchObject({ read_users_sub: true })
    expect(await adopt('/')).toMatchObject({ code: 200, data: { rules: 0, waiting: 0 } })
  })

  test.each([[[1, ALICE]], [[ALICE]]])('makes none of the list of a file: %j', async (readers) => {
    site.openlist.files['/nas/a.txt'] = ''
    site.openlist.metas.put({ path: '/nas', read_users: [1, ALICE] })
    site.openlist.metas.put({ path: '/nas/a.txt', read_users: readers })
    expect(await adopt('/')).toEqual({
      code: 409,
      message:
        'the file server has users of its own for the file /nas/a.txt, remove them there first',
      data: null,
    })
    expect(await rules()).toEqual([])
    site.openlist.metas.put({ path: '/nas/a.txt' })
    expect((await adopt('/')).data.rules).toBe(3)
  })

  test('is what a rule in such a folder needs before', async () => {
    site.openlist.metas.put({ path: '/nas/closed', read_users: [ALICE] })
    const refused = await site.addRule('/nas', { uid: BOB }, 'read')
    expect(refused).toEqual({
      code: 409,
      message: 'the file server has users of its own for /nas/closed, adopt them first',
      data: null,
    })
    expect(await site.addRule('/other', { uid: BOB }, 'read')).toMatchObject({ code: 200 })
    await adopt('/nas')
    expect(await site.addRule('/nas', { uid: BOB }, 'read')).toMatchObject({ code: 200 })
  })

  test.each([
    ['has ended', () => site.call('GET', '/api/auth/logout', { token: site.adminToken }), 401],
    ['is not fresh any more', async () => (site.now += HOUR), 403],
  ])('keeps nothing of a list when the session of the admin %s meanwhile', async (_, end, code) => {
    const { openlist } = site
    openlist.metas.put({ path: '/nas', read_users: [ALICE] })
    // After the first check of the session, before the batch that makes the rules.
    let ended: unknown
    openlist.answer = async ({ path }) => {
      if (path.startsWith('/api/admin/meta/list')) ended ??= await end()
      return undefined
    }
    expect(await adopt('/')).toMatchObject({ code })
    openlist.answer = undefined
    site.adminToken = await site.token('admin', ADMIN_PASSWORD)
    await site.admin('POST', 'folder_rule/sync')
    expect(openlist.metas.at('/nas')).toMatchObject({ read_users: [ALICE] })
  })

  test('leaves lists alone that were there when the file server was away for the rule', async () => {
    site.openlist.metas.put({ path: '/nas/closed', read_users: [ALICE] })
    site.openlist.answer = () => Promise.reject(new TypeError('away'))
    expect(await site.addRule('/nas', { uid: BOB }, 'read')).toMatchObject({
      code: 200,
      data: { waiting: 1 },
    })
    site.openlist.answer = undefined
    const sync = { code: 200, data: { folders: 1, written: 0, waiting: 2 } }
    expect(await site.admin('POST', 'folder_rule/sync')).toMatchObject(sync)
    expect(site.openlist.metas.rows).toMatchObject([{ path: '/nas/closed', read_users: [ALICE] }])
    await adopt('/nas')
    expect(await rules()).toEqual([
      '/nas 4 read',
      '/nas/closed user none',
      '/nas/closed guest none',
      '/nas/closed 3 write',
    ])
    expect(site.openlist.metas.at('/nas/closed')).toMatchObject({ read_users: [1, ALICE] })
    expect(site.openlist.metas.at('/nas')).toMatchObject({ read_users: [1] })
  })
})

describe('POST /api/admin/folder_rule/move', () => {
  beforeEach(async () => {
    site.openlist.folders.push('/nas', '/nas/a', '/nas/a/b', '/nas/c', '/pub')
    await site.addRule('/nas/a', { uid: ALICE }, 'read')
    await site.addRule('/nas/a/b', { group: 'user' }, 'none')
  })

  test.each([
    ['update is not supported for current index', ['/nas/a 3 read', '/nas/a/b user none']],
    ['index is running', ['/nas/a 3 read', '/nas/a/b user none']],
    ['search not available', []],
  ])('leaves the rules where a search still finds the files: %s', async (message, left) => {
    site.openlist.answer = ({ path }) =>
      path === '/api/admin/index/update'
        ? Response.json({ code: 400, message, data: null })
        : undefined
    expect(await move('/nas/a', '/nas/z')).toMatchObject({ code: 200, data: { waiting: 0 } })
    expect(await rules()).toEqual([...left, '/nas/z 3 read', '/nas/z/b user none'])
    expect(site.openlist.metas.at('/nas/a') !== undefined).toBe(left.length > 0)
  })

  test('takes what is in the folder out of the index before it moves', async () => {
    site.openlist.sent.splice(0)
    expect(
      await site.admin('POST', 'folder_rule/move', { path: '/nas/a', to: '/nas/z' }),
    ).toMatchObject({
      code: 200,
    })
    const calls = site.openlist.sent.filter(({ path }) =>
      /index|fs\/rename|meta\/delete/.test(path),
    )
    expect(calls.slice(0, 2)).toMatchObject([
      {
        path: '/api/admin/index/update',
        body: JSON.stringify({ paths: ['/nas/a'], max_depth: 0 }),
      },
      { path: '/api/fs/rename' },
    ])
  })

  test('takes the folder itself out of the index after it has moved, when it can be changed again', async () => {
    let isBusy = 0
    site.openlist.answer = ({ path }) => {
      if (path === '/api/fs/rename') isBusy = 3
      if (path !== '/api/admin/index/update' || isBusy-- <= 0) return undefined
      return Response.json({ code: 400, message: 'index is running', data: null })
    }
    site.openlist.sent.splice(0)
    expect(await move('/nas/a', '/nas/z')).toMatchObject({ code: 200 })
    const calls = site.openlist.paths().filter((path) => /index|fs\/rename|meta\/delete/.test(path))
    const update = 'POST /api/admin/index/update'
    expect(calls.slice(0, 7)).toEqual([
      update,
      'POST /api/fs/rename',
      update,
      update,
      update,
      update,
      expect.stringMatching('meta/delete'),
    ])
    expect(await rules()).toEqual(['/nas/z 3 read', '/nas/z/b user none'])
  })

  test.each([
    ['asks for all of them, before and after', 'S3', 398, 400, 400, 2],
    ['leaves the rules where it can not ask for all of them', 'S3', 399, 2, 0, 4],
    ['asks for one on the disk, where OpenList keeps no lists', 'Local', 399, 0, 1, 2],
  ])('lists of folders below: %s', async (_, driver, below, before, after, left) => {
    const { openlist } = site
    openlist.storages = { '/': driver }
    for (let i = 0; i < below; i++) openlist.files[`/nas/a/b/${i}/a.txt`] = ''
    openlist.sent.splice(0)
    expect(await move('/nas/a', '/nas/z')).toMatchObject({ code: 200, data: { waiting: 0 } })
    const asked = openlist.sent.filter(({ path }) => /fs\/(?:list|rename)/.test(path))
    const moved = asked.findIndex(({ path }) => path === '/api/fs/rename')
    expect([moved, asked.length - moved - 1]).toEqual([before, after])
    const lists = asked.toSpliced(moved, 1)
    expect(lists.every(({ body }) => JSON.parse(body).refresh)).toBe(true)
    expect((await rules()).length).toBe(left)
  })

  test('makes OpenList forget a list of the old path that ends late, before the old rules end', async () => {
    listLate(1)
    site.openlist.sent.splice(0)
    expect(await move('/nas/a', '/nas/z')).toMatchObject({ code: 200, data: { waiting: 0 } })
    expect(kept()).toEqual([
      'fs/rename',
      'setting/save',
      'setting/save',
      'meta/delete',
      'meta/delete',
    ])
    expect(await rules()).toEqual(['/nas/z 3 read', '/nas/z/b user none'])
  })

  test('leaves the rules where the old path is listed again and again', async () => {
    listLate(100)
    expect(await move('/nas/a', '/nas/z')).toMatchObject({ code: 200, data: { waiting: 0 } })
    expect(await rules()).toHaveLength(4)
  })

  test('leaves the rules where OpenList forgets nothing', async () => {
    site.openlist.answer = ({ path }) =>
      path === '/api/admin/setting/save'
        ? Response.json({ code: 500, message: 'failed', data: null })
        : undefined
    expect(await move('/nas/a', '/nas/z')).toMatchObject({ code: 502 })
    expect(site.openlist.folders).toContain('/nas/z')
    expect(await rules()).toHaveLength(4)
  })

  test.each([
    ['/nas', 'a', 409],
    ['/nas/a', 'c', 409],
    ['/nas/a/b', 'c', 409],
    ['/', 'nas', 409],
    ['/nas', 'c', 200],
    ['/pub', 'a', 200],
  ])('with a task of anybody under way to %s/%s is %i', async (folder, name, code) => {
    site.openlist.tasks.rows.push(copyTo(folder, name))
    const refused = {
      code: 409,
      message: 'copies or moves are under way, try again when they have ended',
      data: null,
    }
    expect(await move('/nas/a', '/nas/z')).toMatchObject(code === 409 ? refused : { code })
    expect(site.openlist.folders.includes('/nas/a')).toBe(code === 409)
    expect(await rules()).toHaveLength(2)
  })

  test.each<[string, () => ReturnType<GroupsSite['admin']>]>([
    ['made', () => site.addRule('/nas/a/b', { uid: BOB }, 'none')],
    ['changed', () => site.admin('POST', 'folder_rule/update', { id: 1, access: 'none' })],
    ['deleted', () => site.admin('POST', 'folder_rule/delete?id=1')],
    ['adopted', () => adopt('/')],
  ])('lets no rule be %s meanwhile, which it would leave behind', async (_, change) => {
    let meanwhile: unknown
    site.openlist.answer = async ({ path }) => {
      if (path !== '/api/fs/rename') return undefined
      site.openlist.metas.put({ path: '/other', read_users: [ALICE] })
      meanwhile = await change()
      return undefined
    }
    expect(await move('/nas/a', '/nas/z')).toMatchObject({ code: 200, data: { waiting: 0 } })
    expect(meanwhile).toEqual({
      code: 409,
      message: 'a folder with rules is being moved, try again when it is done',
      data: null,
    })
    expect(await rules()).toEqual(['/nas/z 3 read', '/nas/z/b user none'])
    site.openlist.answer = undefined
    expect(await site.addRule('/pub', { uid: BOB }, 'none')).toMatchObject({ code: 200 })
  })

  test('is one of two at the same time', async () => {
    const codes = await Promise.all([move('/nas/a', '/nas/z'), move('/nas/a', '/pub/a')])
    expect(codes.map(({ code }) => code).toSorted((a, b) => a - b)).toEqual([200, 409])
  })

  test('leaves the rules where such a task has begun meanwhile', async () => {
    site.openlist.answer = ({ path }) => {
      if (path === '/api/fs/rename') site.openlist.tasks.rows.push(copyTo('/nas/a', 'c'))
      return undefined
    }
    expect(await move('/nas/a', '/nas/z')).toMatchObject({ code: 200, data: { waiting: 0 } })
    expect(await rules()).toHaveLength(4)
  })

  test.each([
    ['renames', '/nas/z'],
    ['moves', '/pub/a'],
    ['moves and renames', '/pub/z'],
  ])('%s the folder with its rules', async (_, to) => {
    expect(await move('/nas/a', to)).toMatchObject({ code: 200, data: { waiting: 0 } })
    expect(await rules()).toEqual([`${to} 3 read`, `${to}/b user none`])
    expect(site.openlist.folders.toSorted()).toEqual(
      ['/nas', to, `${to}/b`, '/nas/c', '/pub'].toSorted(),
    )
    expect(site.openlist.metas.rows.map(({ path }) => path).toSorted()).toEqual([to, `${to}/b`])
  })

  test('writes the metas of the new place before, and ends those of the old place after', async () => {
    const { openlist } = site
    let during: unknown
    openlist.answer = ({ path }) => {
      if (path === '/api/fs/rename')
        during = openlist.metas.rows.map(({ path: each, read_users: readers }) => [each, readers])
      return undefined
    }
    await move('/nas/a', '/nas/z')
    expect(during).toEqual([
      ['/nas/a', [1, ALICE]],
      ['/nas/a/b', [1]],
      ['/nas/z/b', [1]],
      ['/nas/z', [1, ALICE]],
    ])
  })

  test.each([
    ['/nas/a', '/nas/c', 409, 'the file server did not move it'],
    ['/nas/a', '/gone/a', 409, 'the file server did not move it'],
    ['/nas/a', '/nas/a/b', 400, "path must be a folder's full path"],
    ['/nas/a', '/nas', 400, "path must be a folder's full path"],
    ['/', '/nas', 400, "path must be a folder's full path"],
    ['/nas/a', '', 400, 'to is required'],
    ['/nas/c', '/pub/c', 404, 'no such folder rule'],
    ['/nas/c', '/nas/b', 404, 'no such folder rule'],
  ])('refuses %s to %s, and changes nothing', async (path, to, code, message) => {
    const { openlist } = site
    openlist.answer = (sent) =>
      sent.path === '/api/fs/move' && sent.body.includes('/gone')
        ? Response.json({ code: 500, message: 'object not found', data: null })
        : undefined
    expect(await move(path, to)).toEqual({ code, message, data: null })
    expect(await rules()).toEqual(['/nas/a 3 read', '/nas/a/b user none'])
    expect(openlist.metas.rows.map((each) => each.path).toSorted()).toEqual(['/nas/a', '/nas/a/b'])
    expect(openlist.folders).toContain('/nas/a')
  })

  test('says where the folder is when it was moved and not renamed', async () => {
    site.openlist.answer = ({ path }) =>
      path === '/api/fs/rename'
        ? Response.json({ code: 500, message: 'failed', data: null })
        : undefined
    expect(await move('/nas/a', '/pub/z')).toEqual({
      code: 409,
      message: 'the file server moved it to /pub/a, with its rules, and did not rename it there',
      data: null,
    })
    expect(site.openlist.folders).toContain('/pub/a')
    expect(await rules()).toEqual(['/pub/a 3 read', '/pub/a/b user none'])
    site.openlist.answer = undefined
    expect(await move('/pub/a', '/pub/z')).toMatchObject({ code: 200 })
  })

  test('refuses two storages, where files would arrive later', async () => {
    site.openlist.storages['/pub'] = 'Local'
    expect(await move('/nas/a', '/pub/a')).toMatchObject({ code: 409 })
    expect(site.openlist.folders).toContain('/nas/a')
  })

  test('keeps the rules of both places while nobody knows where the folder is', async () => {
    const { openlist } = site
    openlist.answer = ({ path }) =>
      path.startsWith('/api/fs/rename') ||
      openlist.sent.some((each) => each.path === '/api/fs/rename')
        ? Promise.reject(new TypeError('away'))
        : undefined
    expect(await move('/nas/a', '/nas/z')).toMatchObject({ code: 503 })
    openlist.answer = undefined
    expect(await rules()).toEqual([
      '/nas/a 3 read',
      '/nas/a/b user none',
      '/nas/z 3 read',
      '/nas/z/b user none',
    ])
  })
})

describe('POST /api/admin/folder_rule/sync', () => {
  test('writes what differs, and counts it', async () => {
    await site.addRule('/nas', { uid: ALICE }, 'read')
    site.openlist.metas.rows.splice(0)
    expect(await site.admin('POST', 'folder_rule/sync')).toEqual({
      code: 200,
      message: 'success',
      data: { folders: 1, written: 1, waiting: 0 },
    })
    expect(site.openlist.metas.at('/nas')).toMatchObject({ read_users: [1, ALICE] })
  })
})

test.each([
  ['adopt', { path: '/nas' }],
  ['move', { path: '/nas', to: '/b' }],
  ['sync', undefined],
])('%s needs a fresh session', async (call, body) => {
  site.now += HOUR
  site.openlist.sent.splice(0)
  expect(await site.admin('POST', `folder_rule/${call}`, body)).toMatchObject({
    code: 403,
    message: 'Sign in again or confirm to do this',
  })
  expect(site.openlist.sent).toEqual([])
})

/** Changes the storage `/nas`. */
const updateNas = (mount: string, rest: object = {}) =>
  site.admin('POST', 'storage/update', { id: 2, mount_path: mount, driver: 'Local', ...rest })
const mounts = () => Object.keys(site.openlist.storages)

describe('a storage whose path an admin changes through the gateway', () => {
  const refused = {
    code: 403,
    message: 'folders of this storage have rules, make the same rules for the new path first',
    data: null,
  }

  beforeEach(() => {
    site.openlist.storages = { '/': 'Local', '/nas': 'Local' }
  })

  test('is refused while a folder in it has rules', async () => {
    await site.addRule('/nas/closed', { group: 'user' }, 'none')
    expect(await updateNas('/store')).toEqual(refused)
    expect(await updateNas('/nas', { MOUNT_PATH: '/store' })).toEqual(refused)
    expect(await updateNas('/nas', { disabled: true, Mount_Path: '/store' })).toEqual(refused)
    expect(mounts()).toEqual(['/', '/nas'])
    for (const same of ['/nas', '/nas/', '/nas.balance2'])
      expect(await updateNas(same)).toMatchObject({ code: 200 })
  })

  test('is passed on once the same rules are there', async () => {
    await site.addRule('/nas/closed', { group: 'user' }, 'none')
    await site.addRule('/nas/closed', { uid: ALICE }, 'read')
    await site.addRule('/store/closed', { group: 'user' }, 'none')
    expect(await updateNas('/store')).toEqual(refused)
    await site.addRule('/store/closed', { uid: ALICE }, 'read')
    expect(await updateNas('/store')).toMatchObject({ code: 200 })
    expect(mounts()).toEqual(['/', '/store'])
  })

  test.each([
    ['with', true],
    ['without', false],
  ])('lets no rule be made meanwhile, on a site %s rules', async (_, hasRules) => {
    if (hasRules) await site.addRule('/other', { group: 'user' }, 'none')
    let meanwhile: unknown
    site.openlist.answer = async ({ path }) => {
      if (path === '/api/admin/storage/update')
        meanwhile = await site.addRule('/nas/closed', { group: 'user' }, 'none')
      return undefined
    }
    expect(await updateNas('/store')).toMatchObject({ code: 200 })
    expect(meanwhile).toMatchObject({ code: 409 })
    expect(await rules()).toHaveLength(hasRules ? 1 : 0)
  })

  test.each([
    ['with', true],
    ['without', false],
  ])('does not change together with a rule in it, on a site %s rules', async (_, hasRules) => {
    if (hasRules) await site.addRule('/other', { group: 'user' }, 'none')
    const closed = site.addRule('/nas/closed', { group: 'user' }, 'none')
    const answers = await Promise.all([closed, updateNas('/store')])
    expect(answers.filter(({ code }) => code === 200)).toHaveLength(1)
  })

  test('is passed on without rules in it', async () => {
    expect(await updateNas('/a')).toMatchObject({ code: 200 })
    await site.addRule('/nas', { group: 'user' }, 'none')
    expect(await updateNas('/b')).toMatchObject({ code: 200 })
    // The rule is in the storage around it.
    expect(await site.admin('POST', 'storage/update', { id: 1, mount_path: '/c' })).toEqual(refused)
  })

  test('that is around another one is looked at without it', async () => {
    await site.addRule('/nas/closed', { group: 'user' }, 'none')
    const root = { id: 1, mount_path: '/files' }
    expect(await site.admin('POST', 'storage/update', root)).toMatchObject({ code: 200 })
  })

  test('is refused in a form that OpenList could read otherwise', async () => {
    await site.addRule('/nas', { group: 'user' }, 'none')
    expect(await site.admin('POST', 'storage/update', [2])).toMatchObject({ code: 400 })
    expect(await site.admin('POST', 'storage/update', { id: 2 })).toMatchObject({ code: 400 })
  })
})
