import { eq } from 'drizzle-orm'
import { beforeEach, describe, expect, test } from 'vitest'
import { folderMetas, folderRules, folderState, users } from '../../schema/tables.ts'
import { runFrequently } from '../../src/app/frequent-run.ts'
import { GUEST, PERMISSION } from '../../src/core/accounts/roles.ts'
import { addAppPassword } from '../support/app-passwords.ts'
import { CheapSite } from '../support/cheap-site.ts'
import type { Envelope } from '../support/envelope.ts'
import { LaggingD1 } from '../support/lagging-d1.ts'
import { FILES_BINDINGS, OpenListStandIn } from '../support/openlist-stand-in.ts'
import { lockInfo } from '../support/openlist-locks.ts'
import { FAILED, PENDING, type StandInTask, SUCCEEDED } from '../support/openlist-tasks.ts'
import { ADMIN_PASSWORD } from '../support/site.ts'

const PASSWORD = 'alice-Passw0rd'
const ALL_BITS = 0xffff
const DENIED = { code: 403, message: 'permission denied', data: null }
const HAS_RULES = { code: 403, message: 'this folder has rules, ask an administrator', data: null }
const PASSED = { code: 200, data: { as: 'alice' } }
const PARTLY_CLOSED = {
  code: 403,
  message:
    'you may not write everywhere in this storage: unpack archives on your own device and upload the files, download from a web address with SimpleHttp',
  data: null,
}
const SELECT_FILES = {
  code: 403,
  message: 'you may not write everywhere on this site: select the files and move them',
  data: null,
}
const NOT_THERE = { code: 404, message: 'object not found', data: null }
const IN_PARTS = {
  code: 403,
  message:
    'this folder has more than 500 folders in it, or a name with a backslash: copy or move what is in it in parts',
  data: null,
}
const OPEN_BEHIND = {
  code: 403,
  message:
    'users may write in the place behind this storage: download the files and upload them, or ask an administrator',
  data: null,
}
const SEALED = {
  remote_path: '/other',
  filename_encryption: 'standard',
  directory_name_encryption: 'true',
}

let openlist: OpenListStandIn
let site: CheapSite
let userId: number
let token: string
let appPassword: string | undefined

beforeEach(async () => {
  openlist = new OpenListStandIn()
  site = new CheapSite(openlist.deps, FILES_BINDINGS)
  await site.addFirstUsers()
  userId = await site.addUser('alice', { password: PASSWORD, permission: ALL_BITS })
  token = await site.token('alice', PASSWORD)
  appPassword = undefined
  // It is known there.
  await post('fs/list', { path: '/' })
  await site.settle()
  await rule('/nas/closed', 'none')
  await rule('/nas/shown', 'read')
  await rule('/way', 'none')
  await rule('/way/to/mine', 'write')
  await rule('/way/to/read & <b>', 'read')
  for (const folder of ['/nas/shown', '/nas/other', '/way/to/mine'])
    openlist.files[`${folder}/a.txt`] = 'a'
  openlist.paths()
})

/** Stores a rule, as written. */
async function rule(path: string, access: string, whose: object = { userId }): Promise<void> {
  await site.db.insert(folderRules).values({ path, access, createdAt: site.now, ...whose })
  await asWritten()
}

/** Makes a user who is known there. */
async function newUser(username: string, basePath: string): Promise<{ id: number; as: string }> {
  const id = await site.addUser(username, { password: PASSWORD, permission: ALL_BITS, basePath })
  const as = await site.token(username, PASSWORD)
  await asWritten()
  await post('fs/list', { path: '/' }, as)
  await asWritten()
  return { id, as }
}

async function asWritten(): Promise<void> {
  await site.db.update(folderState).set({ written: folderState.version })
}

const adminToken = () => site.token('admin', ADMIN_PASSWORD)

function post(name: string, body: object, as = token): Promise<Envelope> {
  const headers = { 'Content-Length': String(JSON.stringify(body).length) }
  return site.post(`/api/${name}`, body, { token: as, headers })
}

async function dav(method: string, path: string, headers = {}): Promise<Response> {
  appPassword ??= (await addAppPassword(site, userId, ['files:write'])).token
  const Authorization = `Basic ${btoa(`alice:${appPassword}`)}`
  const call = { headers: { Authorization, ...headers } }
  return site.fetch(method, path, method === 'LOCK' ? { ...call, body: lockInfo() } : call)
}

describe('an item that is closed', () => {
  const copy = { src_dir: '/nas', dst_dir: '/way/to/mine', names: ['closed'] }
  const back = { src_dir: '/way/to/mine', dst_dir: '/nas', names: ['closed'] }

  test.each<[string, object, object]>([
    ['fs/copy', copy, DENIED],
    ['fs/copy', { ...copy, names: ['closed/a.txt'] }, DENIED],
    ['fs/copy', { ...copy, names: ['shown\\..\\closed'] }, DENIED],
    ['fs/copy', { ...copy, src_dir: '/', names: ['nas'] }, DENIED],
    ['fs/copy', { ...copy, names: ['shown'] }, PASSED],
    ['fs/copy', { ...copy, names: ['shown/a.txt', 'other'] }, PASSED],
    ['fs/copy', { ...copy, dst_dir: '/nas/shown' }, DENIED],
    ['fs/copy', back, DENIED],
    ['fs/move', { ...copy, names: ['shown/a.txt'] }, DENIED],
    ['fs/move', { ...copy, names: ['other'] }, PASSED],
    ['fs/move', { ...copy, src_dir: '/way/to', names: ['mine'] }, HAS_RULES],
    ['fs/rename', { path: '/nas/closed', name: 'x' }, DENIED],
    ['fs/rename', { path: '/nas/other', name: 'closed' }, DENIED],
    ['fs/rename', { path: '/nas/other', name: 'x' }, PASSED],
    [
      'fs/batch_rename',
      { src_dir: '/nas', rename_objects: [{ src_name: 'closed', new_name: 'x' }] },
      DENIED,
    ],
    ['fs/regex_rename', { src_dir: '/nas', src_name_regex: '.', new_name_regex: 'x' }, DENIED],
    ['fs/regex_rename', { src_dir: '/way/to/mine', src_name_regex: '^x' }, PASSED],
    ['fs/recursive_move', { src_dir: '/nas', dst_dir: '/way/to/mine' }, DENIED],
    ['fs/recursive_move', { src_dir: '/other', dst_dir: '/nas' }, DENIED],
    ['fs/recursive_move', { src_dir: '/other', dst_dir: '/way/to/mine' }, SELECT_FILES],
    ['fs/mkdir', { path: '/nas/closed' }, DENIED],
    ['fs/mkdir', { path: '/nas/x/../shown\\' }, DENIED],
    ['fs/remove', { dir: '/nas', names: ['closed'] }, DENIED],
    ['fs/remove', { dir: '/way/to', names: ['mine'] }, HAS_RULES],
    ['fs/remove', { dir: '/way/to/mine', names: ['a'] }, PASSED],
    ['fs/remove_empty_directory', { src_dir: '/nas' }, DENIED],
    ['fs/remove_empty_directory', { src_dir: '/way/to/mine' }, PASSED],
    ['fs/archive/decompress', { src_dir: '/nas', dst_dir: '/x', name: ['closed/a.zip'] }, DENIED],
    ['fs/archive/decompress', { src_dir: '/nas', dst_dir: '/x', name: ['a.zip'] }, PARTLY_CLOSED],
    ['fs/torrent/generate', { path: '/nas/closed/a' }, DENIED],
    ['fs/add_offline_download', { path: '/nas', urls: ['http://x/'] }, DENIED],
    ['fs/get_direct_upload_info', { path: '/nas/closed', file_name: 'a' }, DENIED],
    ['share/create', { files: ['/nas/closed'] }, DENIED],
    ['share/create', { files: ['/nas/shown', '/nas'] }, DENIED],
    ['share/update', { id: 'x', files: ['/nas/closed/a'] }, DENIED],
  ])('%s %j', async (name, body, answer) => {
    expect(await post(name, body)).toMatchObject(answer)
    const isPassed = answer === PASSED
    const looks = ['GET /api/admin/storage/list', 'POST /api/fs/list', 'POST /api/fs/get']
    const paths = openlist.paths().filter((path) => !looks.includes(path))
    expect(paths).toEqual(isPassed ? [`POST /api/${name}`] : [])
    // One that is passed on is noted before, and forgotten after it.
    expect(site.meter.roundTrips).toBe(isPassed ? 3 : 1)
  })

  test.each([
    ['COPY', '/dav/nas/closed', '/dav/way/to/mine/closed', 403],
    ['COPY', '/dav/nas/%63losed/', '/dav/way/to/mine/x', 403],
    ['COPY', '/dav/nas/shown', '/dav/way/to/mine/shown', 207],
    ['COPY', '/dav/other/closed', '/dav/nas/x', 403],
    ['MOVE', '/dav/nas/closed', '/dav/nas/x', 403],
    ['MOVE', '/dav/nas/x', '/davnas/closed', 403],
    ['MOVE', '/dav/nas/x', 'http://localhost/dav/nas/closed', 403],
    ['MOVE', '/dav/nas/other', '/dav/nas/y', 207],
    ['DELETE', '/dav/nas', '', 403],
    ['DELETE', '/dav/nas/x', '', 207],
    ['PUT', '/dav/nas/closed', '', 403],
    ['MKCOL', '/dav/nas/%63losed/', '', 403],
    ['MKCOL', '/dav/nas/x', '', 207],
    ['MKCOL', '/dav/nas', '', 207],
    ['PUT', '/dav/nas/x', '', 207],
    ['PROPPATCH', '/dav/nas/closed/a', '', 403],
    ['PROPPATCH', '/dav/nas/shown/a', '', 403],
    ['PROPPATCH', '/dav/nas', '', 207],
  ])('WebDAV: %s %s to %s', async (method, path, to, status) => {
    const answer = await dav(method, path, to === '' ? {} : { Destination: to })
    expect(answer.status).toBe(status)
    expect(openlist.paths().filter((sent) => sent.startsWith(method))).toHaveLength(
      status === 207 ? 1 : 0,
    )
  })

  test.each([
    [403, undefined, '/nas'],
    [403, 'infinity', '/nas'],
    [403, 'infinity', '/'],
    [403, '1', '/nas'],
    [200, '0', '/nas'],
    [403, '0', '/nas/closed'],
    [403, '0', '/nas/shown'],
    [200, undefined, '/nas/other'],
    [200, 'infinity', '/way/to/mine'],
  ])('WebDAV: LOCK is %i with depth %s at %s', async (status, depth, path) => {
    const answer = await dav('LOCK', `/dav${path}`, depth === undefined ? {} : { Depth: depth })
    expect(answer.status).toBe(status)
    expect(openlist.sent).toHaveLength(status === 200 ? 1 : 0)
  })

  test.each(['/nas', '/nas/other', '/way/to/mine'])(
    'a folder that is open is made: %s',
    async (path) => {
      expect(await post('fs/mkdir', { path })).toMatchObject({ code: 200 })
      expect(openlist.folders).toEqual([path])
    },
  )

  test.each(['put', 'form'])('an upload of fs/%s in its place', async (name) => {
    const upload = (path: string) =>
      site.call('PUT', `/api/fs/${name}`, { token, body: 'x', headers: { 'File-Path': path } })
    expect(await upload('/nas/%63losed')).toEqual(DENIED)
    expect(await upload('/way/to/mine')).toEqual(HAS_RULES)
    expect(openlist.paths()).toEqual([])
    expect(await upload('/nas/x')).toMatchObject(PASSED)
  })

  test('an upload in the place of an open folder, which OpenList deletes', async () => {
    const upload = (name: string, headers: object = {}) =>
      site.call('PUT', `/api/fs/${name}`, {
        token,
        body: 'x',
        headers: { 'File-Path': '/nas/open', ...headers },
      })
    openlist.folders.push('/nas/open')
    for (const name of ['put', 'form', 'multipart/init']) expect(await upload(name)).toEqual(DENIED)
    expect(await upload('put', { 'As-Task': 'true' })).toEqual(DENIED)
    expect((await dav('PUT', '/dav/nas/open')).status).toBe(403)
    expect((await dav('PUT', '/dav/nas/open/a.txt')).status).toBe(207)
    await site.db.delete(folderRules)
    await asWritten()
    expect(await upload('put')).toMatchObject(PASSED)
  })

  test('a large upload that OpenList would write once all of it has come', async () => {
    const upload = async (name: string, size: number, as = token) => {
      const headers = { 'File-Path': '/nas/open', 'As-Task': 'true' }
      const body = 'x'.repeat(size)
      const sent = { 'Content-Length': String(size), ...headers }
      const { code, message } = await site.call('PUT', `/api/fs/${name}`, {
        token: as,
        body,
        headers: sent,
      })
      return [code, message, openlist.sent.at(-1)?.headers.get('As-Task')]
    }
    const [small, large] = [64 * 1024, 64 * 1024 + 1]
    expect(await upload('put', small)).toEqual([200, 'success', 'true'])
    expect(await upload('form', small)).toEqual([200, 'success', 'true'])
    expect(await upload('put', large)).toEqual([200, 'success', 'false'])
    openlist.paths()
    expect((await upload('form', large)).slice(0, 2)).toEqual([
      403,
      'upload a file of this size in parts or as a stream, not in a form',
    ])
    expect(openlist.paths()).toEqual([])
    expect(await upload('form', large, await adminToken())).toEqual([200, 'success', 'true'])
    await site.db.delete(folderRules)
    await asWritten()
    for (const name of ['put', 'form'])
      expect(await upload(name, large)).toEqual([200, 'success', 'true'])
  })

  test('a large upload whose length nobody knows, which OpenList reads as a whole first', async () => {
    const body = 'x'.repeat(64 * 1024 + 1)
    const put = (headers: object) =>
      site.call('PUT', '/api/fs/put', {
        token,
        body,
        headers: { 'File-Path': '/nas/o', ...headers },
      })
    const refused = { code: 411, message: 'say how long a file of this size is (Content-Length)' }
    for (const headers of [{}, { 'X-File-Size': 'x' }, { 'As-Task': 'true' }])
      expect(await put(headers)).toMatchObject(refused)
    expect(await put({ 'X-File-Size': String(body.length) })).toMatchObject(PASSED)
    const { token: password } = await addAppPassword(site, userId, ['files:write'])
    const Authorization = `Basic ${btoa(`alice:${password}`)}`
    const send = async (headers: object) =>
      (await site.fetch('PUT', '/dav/nas/o', { body, headers: { Authorization, ...headers } }))
        .status
    expect(await send({})).toBe(411)
    expect(await send({ 'X-Expected-Entity-Length': String(body.length) })).toBe(207)
    await site.db.delete(folderRules)
    await asWritten()
    expect(await put({})).toMatchObject(PASSED)
  })

  test('an upload whose name is an address, which a UrlTree would fetch', async () => {
    const address = 'a.txt:1:http://127.0.0.1:5244/d/nas/closed/a.txt'
    const paths = [`/other/${address}`, `/other/${encodeURIComponent(address)}`, '/other/http: a']
    const answers = []
    for (const path of paths) {
      const headers = { 'File-Path': path }
      answers.push((await site.call('PUT', '/api/fs/put', { token, body: 'x', headers })).code)
    }
    expect(answers).toEqual([403, 403, 200])
    expect((await dav('PUT', `/dav/other/${address}`)).status).toBe(403)
    openlist.storages = { '/nas': 'Local', '/tree': 'UrlTree' }
    const into = { src_dir: '/nas', names: ['other'], dst_dir: '/tree' }
    expect(await post('fs/copy', into)).toEqual(DENIED)
    const zip = { src_dir: '/nas', name: ['a.zip'], dst_dir: '/tree' }
    expect(await post('fs/archive/decompress', zip)).toEqual(DENIED)
    expect((await dav('COPY', '/dav/nas/other', { Destination: '/dav/tree/x' })).status).toBe(403)
    openlist.storages['/tree'] = 'Local'
    expect(await post('fs/copy', into)).toMatchObject(PASSED)
  })

  test('a share of it is not opened again', async () => {
    await post('share/create', { files: ['/nas/x'] })
    const [share] = openlist.shares.rows
    if (share === undefined) throw new Error('no share')
    Object.assign(share, { files: ['/nas/closed'], disabled: true })
    openlist.paths()
    expect(await post(`share/enable?id=${share.id}&id=other`, {})).toEqual(DENIED)
    expect(openlist.paths()).toEqual([`GET /api/share/get?id=${share.id}`])
    expect(share.disabled).toBe(true)
  })

  test('a share that was opened while its right was taken is closed', async () => {
    openlist.answer = async ({ path, body }) => {
      openlist.answer = undefined
      expect(path).toBe('/api/share/create')
      await rule('/nas/x', 'none')
      const { files } = JSON.parse(body)
      const share = { id: 's', files, disabled: false, creator: 'alice', creator_role: 0 }
      openlist.shares.rows.push(share)
      return Response.json({ code: 200, message: 'success', data: share })
    }
    expect(await post('share/create', { files: ['/nas/x'] })).toEqual(DENIED)
    expect(openlist.shares.rows).toMatchObject([{ files: ['/nas/x'], disabled: true }])
  })

  test('of the guest, too', async () => {
    await site.db.update(users).set({ disabled: false }).where(eq(users.role, GUEST))
    await post('fs/list', { path: '/' }, '')
    await rule('/nas/closed', 'none', { builtIn: 'guest' })
    expect(await post('fs/copy', copy, '')).toEqual(DENIED)
  })

  test('is told by no path to a guest who is disabled', async () => {
    await rule('/nas/closed', 'none', { builtIn: 'guest' })
    openlist.paths()
    const refused = { code: 401, message: 'Guest user is disabled, login please', data: null }
    for (const name of ['closed', 'CLOSED', 'open', 'x/../closed']) {
      const path = `/nas/${name}`
      for (const read of ['fs/list', 'fs/get', 'fs/dirs', 'fs/search'])
        expect(await post(read, { path, parent: path }, '')).toEqual(refused)
      expect(await post('fs/copy', { ...copy, names: [name] }, '')).toEqual(refused)
      expect(await post('share/create', { files: [path] }, '')).toEqual(refused)
      expect(await site.get(`/api/fs/list?path=${path}`)).toEqual(refused)
    }
    expect(openlist.paths().filter((path) => /^POST .*\/(?:fs|share)\//.test(path))).toEqual([])
  })
})

/** The folder exists in one of these spellings, and the storage takes the others for it, too. */
describe('another spelling of a closed folder', () => {
  const CLOSED = '/nas/CLOSED'
  const item = { src_dir: '/nas', dst_dir: '/to', names: ['CLOSED'] }

  test.each([
    '/nas/CLOSED',
    '/nas/Closed/a.txt',
    '/nas/closed.',
    '/nas/closed . /a.txt',
    '/nas/closed::$INDEX_ALLOCATION/a.txt',
    '/nas/clo\u00adsed',
    '/nas/cloſed',
    '/NAS/closed',
    '/nas/.../a.txt',
    '/nas/x/.. /closed',
    '/nas/cafe\u0301',
    '/nas/CAFÉ/a.txt',
    '/nas/stra\u1e9ee',
    '/nas/STRASSE',
  ])('%j', async (path) => {
    await rule('/nas/caf\u00e9', 'none')
    await rule('/nas/straße', 'read', { builtIn: 'guest' })
    expect(await post('fs/list', { path })).toEqual(DENIED)
    expect(site.meter.roundTrips).toBe(1)
    expect(await post('share/create', { files: [path] })).toEqual(DENIED)
    expect((await dav('GET', `/dav${encodeURI(path)}`)).status).toBe(403)
    expect(openlist.paths()).toEqual([])
    expect(await post('fs/list', { path: '/nas/closed2' })).toMatchObject(PASSED)
  })

  test.each(['/NAS', '/nas.', '/n\u00adas'])(
    'shows no name in another spelling of the folder above: %j',
    async (path) => {
      const reads = ['fs/list', 'fs/dirs', 'fs/get']
      for (const name of reads) expect(await post(name, { path })).toEqual(DENIED)
      for (const Depth of ['0', '1', 'infinity'])
        expect((await dav('PROPFIND', `/dav${encodeURI(path)}`, { Depth })).status).toBe(403)
      expect(openlist.paths()).toEqual([])
      for (const name of reads) expect(await post(name, { path: '/nas' })).toMatchObject(PASSED)
      await rule(path, 'read')
      for (const name of reads) expect(await post(name, { path })).toMatchObject(PASSED)
    },
  )

  test.each<[string, object]>([
    ['fs/list', { path: CLOSED }],
    ['fs/get', { path: `${CLOSED}/a.txt` }],
    ['fs/dirs', { path: CLOSED }],
    ['fs/other', { path: `${CLOSED}/a.mp4`, method: 'video_preview', data: {} }],
    ['fs/archive/meta', { path: `${CLOSED}/a.zip` }],
    ['fs/archive/list', { path: `${CLOSED}/a.zip` }],
    ['fs/copy', item],
    ['fs/copy', { ...item, src_dir: '/to', dst_dir: '/nas' }],
    ['fs/copy', { ...item, src_dir: '/', names: ['NAS'] }],
    ['fs/move', item],
    ['fs/rename', { path: CLOSED, name: 'x' }],
    ['fs/rename', { path: '/nas/x', name: 'CLOSED' }],
    [
      'fs/batch_rename',
      { src_dir: '/nas', rename_objects: [{ src_name: 'x', new_name: 'CLOSED' }] },
    ],
    ['fs/regex_rename', { src_dir: CLOSED, src_name_regex: '.', new_name_regex: 'x' }],
    ['fs/recursive_move', { src_dir: CLOSED, dst_dir: '/to' }],
    ['fs/mkdir', { path: CLOSED }],
    ['fs/remove', { dir: '/nas', names: ['CLOSED'] }],
    ['fs/remove', { dir: '/', names: ['NAS'] }],
    ['fs/remove_empty_directory', { src_dir: CLOSED }],
    ['fs/archive/decompress', { src_dir: '/nas', dst_dir: '/to', name: ['CLOSED/a.zip'] }],
    ['fs/archive/decompress', { src_dir: '/to', dst_dir: CLOSED, name: ['a.zip'] }],
    ['fs/torrent/generate', { path: `${CLOSED}/a` }],
    ['fs/torrent/rapid_upload', { path: CLOSED, torrent_data: 'x' }],
    ['fs/add_offline_download', { path: CLOSED, urls: ['https://example.org/a'] }],
    ['fs/get_direct_upload_info', { path: CLOSED, file_name: 'a' }],
    ['share/create', { files: ['/NAS'] }],
  ])('is closed to %s %j', async (name, body) => {
    expect(await post(name, body)).toEqual(DENIED)
    expect(openlist.paths()).toEqual([])
    expect(site.meter.roundTrips).toBe(1)
  })

  test.each(['list', 'get', 'dirs', 'other', 'archive/list'])(
    'is closed to GET fs/%s',
    async (name) => {
      const answer = await site.call('GET', `/api/fs/${name}?path=/nas/CLOSED&path=/nas/x`, {
        token,
      })
      expect(answer).toEqual(DENIED)
    },
  )

  test.each([
    ['/nas', '/CLOSED/a.zip'],
    ['/', 'x/..\\..//nas/CLOSED/a.zip/b'],
    ['/nas', '/closed/a.zip'],
    ['/x/../nas', 'closed/a.zip'],
  ])('is closed to the list of an archive in it, asked of %j: %j', async (path, inner) => {
    expect(await post('fs/archive/list', { path, inner_path: inner })).toEqual(DENIED)
    const query = new URLSearchParams({ path, inner_path: inner }).toString()
    expect(await site.call('GET', `/api/fs/archive/list?${query}`, { token })).toEqual(DENIED)
    expect(openlist.paths()).toEqual([])
    const open = { path: '/nas/x/a.zip', inner_path: '/closed/b' }
    expect(await post('fs/archive/list', open)).toMatchObject(PASSED)
    const asAdmin = await post('fs/archive/list', { path, inner_path: inner }, await adminToken())
    expect(asAdmin).toMatchObject({ code: 200 })
  })

  test('is closed to uploads', async () => {
    const headers = {
      Authorization: token,
      'Content-Length': '0',
      'File-Path': '%2Fnas%2FCLOSED%2Fa',
    }
    const answer = await site.fetch('PUT', '/api/fs/put', { headers })
    expect(await answer.json()).toEqual(DENIED)
  })

  test.each([
    ['GET', {}],
    ['HEAD', {}],
    ['POST', {}],
    ['PUT', {}],
    ['PROPFIND', { Depth: '0' }],
    ['PROPFIND', { Depth: '1' }],
    ['PROPFIND', {}],
    ['PROPPATCH', {}],
    ['LOCK', {}],
    ['UNLOCK', {}],
    ['DELETE', {}],
    ['MKCOL', {}],
    ['COPY', { Destination: '/dav/to/x' }],
    ['MOVE', { Destination: '/dav/to/x' }],
  ])('is closed to WebDAV: %s %j', async (method, headers) => {
    expect((await dav(method, '/dav/nas/CLOSED', headers)).status).toBe(403)
    expect((await dav(method, '/dav/nas/closed./a%20b', headers)).status).toBe(403)
    expect(openlist.paths()).toEqual([])
  })

  test('gives no more than the folder itself, and no less', async () => {
    expect(await post('fs/list', { path: '/nas/SHOWN' })).toMatchObject(PASSED)
    expect(await post('fs/mkdir', { path: '/nas/SHOWN' })).toEqual(DENIED)
    expect(await post('fs/mkdir', { path: '/way/to/MINE/x' })).toEqual(DENIED)
    expect(await post('fs/remove', { dir: '/NAS', names: ['x'] })).toMatchObject(PASSED)
  })

  test('is another folder where a rule for it says so', async () => {
    await rule('/nas/Closed', 'write')
    expect(await post('fs/list', { path: '/nas/Closed/a' })).toMatchObject(PASSED)
    expect(await post('fs/mkdir', { path: '/nas/Closed/a' })).toMatchObject({ code: 200 })
    expect(await post('fs/list', { path: '/nas/CLOSED/a' })).toEqual(DENIED)
    await rule('/nas/CLOSED', 'none', { builtIn: 'guest' })
    expect(await post('fs/list', { path: '/nas/CLOSED/a' })).toEqual(DENIED)
  })

  test('is open to an admin, who moves no folder with rules by it', async () => {
    const as = await adminToken()
    expect(await post('fs/list', { path: CLOSED }, as)).toMatchObject({ code: 200 })
    expect(await post('fs/rename', { path: CLOSED, name: 'x' }, as)).toEqual(HAS_RULES)
    expect(await post('fs/rename', { path: '/NAS', name: 'x' }, as)).toEqual(HAS_RULES)
  })

  test('is not found by a search', async () => {
    const nodes = [
      { parent: '/nas', name: 'Closed', is_dir: true, size: 0, type: 1 },
      { parent: '/nas/Closed', name: 'a.txt', is_dir: false, size: 7, type: 4 },
      { parent: '/nas/other/..\\Closed', name: 'a.txt', is_dir: false, size: 7, type: 4 },
      { parent: '/nas/other', name: 'a.txt', is_dir: false, size: 7, type: 4 },
    ]
    const answer = { code: 200, message: 'success', data: { content: nodes, total: 4 } }
    openlist.answer = ({ path }) => (path === '/api/fs/search' ? Response.json(answer) : undefined)
    const body = { parent: '/', keywords: 'a', page: 1, per_page: 9 }
    expect((await post('fs/search', body)).data).toEqual({ content: nodes.slice(3), total: 1 })
    expect(site.meter.roundTrips).toBe(1)
    await rule('/nas/closed', 'read', { builtIn: 'user' })
    await site.db.delete(folderRules).where(eq(folderRules.access, 'none'))
    await asWritten()
    expect((await post('fs/search', body)).data).toEqual({ content: nodes, total: 4 })
  })
})

const node = (parent: string, name: string) => ({ parent, name, is_dir: true, size: 0, type: 1 })

test('a closed folder is told by no page of a search, and by no number of what it finds', async () => {
  const shown = ['a', 'b', 'c', 'd'].map((name) => node('/nas/other', name))
  const closed = [node('/nas', 'closed'), node('/', 'way')]
  let nodes = shown
  openlist.answer = ({ path, body }) => {
    if (path !== '/api/fs/search') return undefined
    const { page, per_page: size } = JSON.parse(body)
    const content = nodes.slice((page - 1) * size, page * size)
    return Response.json({ code: 200, message: '', data: { content, total: nodes.length } })
  }
  const search = (page: number, size: number) =>
    post('fs/search', { parent: '/', keywords: 'a', page, per_page: size })
  for (const size of [1, 2, 3, 9])
    for (const page of [1, 2, 3, 4, 5]) {
      nodes = shown
      const { data } = await search(page, size)
      const first = (page - 1) * size
      expect(data.content).toEqual(shown.slice(first, first + size))
      expect(data.total).toBe(Math.min(shown.length, page * size + 1))
      for (const place of [0, 1, 4]) {
        nodes = shown.toSpliced(place, 0, ...closed)
        expect((await search(page, size)).data).toEqual(data)
      }
    }
  expect(await search(101, 100)).toMatchObject({ code: 400 })
  expect(await site.call('GET', '/api/fs/search?parent=/&page=1', { token })).toMatchObject({
    code: 400,
  })
  expect(await post('fs/search', { parent: '/', keywords: 1 })).toMatchObject({ code: 400 })
})

test.each([
  ['/dav/', 403],
  ['/dav/nas', 403],
  ['/dav/NAS', 403],
  ['/dav/nas/shown', 207],
  ['/dav/other', 207],
])('a list of all below by WebDAV needs the whole: %s', async (path, status) => {
  for (const headers of [{}, { Depth: 'infinity' }])
    expect((await dav('PROPFIND', path, headers)).status).toBe(status)
})

describe('a request as it was understood', () => {
  test('is sent as JSON, with its own members and no query', async () => {
    const body = '{"path":"/way/to/mine/a.txt","Path":"/nas/closed","name":"b"}'
    await site.call('POST', '/api/fs/rename?path=%2Fnas%2Fclosed', {
      token,
      body,
      headers: { 'Content-Type': 'application/x-yaml' },
    })
    const sent = openlist.sent.at(-1)
    expect(sent).toMatchObject({
      path: '/api/fs/rename',
      body: '{"path":"/way/to/mine/a.txt","name":"b","overwrite":false}',
    })
    expect(sent?.headers.get('Content-Type')).toBe('application/json')
  })

  test.each(['Path=/nas/closed&Name=x', 'path: /nas/closed', '[]', ''])(
    'that is no JSON object is refused: %j',
    async (body) => {
      const answer = await site.call('POST', '/api/fs/rename', { token, body })
      expect(answer).toMatchObject({ code: 400, data: null })
      expect(openlist.paths()).toEqual([])
    },
  )

  test('on an encoded path is the same request', async () => {
    const path = '/api/fs%2f%72ename'
    const body = JSON.stringify({ path: '/nas/closed', name: 'x' })
    expect(await site.call('POST', path, { token, body })).toEqual(DENIED)
  })
})

describe('an admin', () => {
  const move = { src_dir: '/nas', dst_dir: '/x', names: ['closed'] }

  test.each<[string, object, object]>([
    ['fs/move', move, HAS_RULES],
    ['fs/rename', { path: '/nas', name: 'x' }, HAS_RULES],
    ['fs/regex_rename', { src_dir: '/nas' }, HAS_RULES],
    ['fs/recursive_move', { src_dir: '/nas', dst_dir: '/x' }, HAS_RULES],
    [
      'fs/batch_rename',
      { src_dir: '/nas/closed', rename_objects: [{ src_name: 'a', new_name: 'x' }] },
      { code: 200 },
    ],
    ['fs/copy', move, { code: 200 }],
    ['fs/remove', { dir: '/nas', names: ['closed'] }, { code: 200 }],
    ['fs/remove_empty_directory', { src_dir: '/nas' }, { code: 200 }],
  ])('%s %j', async (name, body, answer) => {
    expect(await post(name, body, await adminToken())).toMatchObject(answer)
  })

  test('moves below the base path that the admin has there', async () => {
    const admin = openlist.user('admin')
    if (admin !== undefined) admin.base_path = '/nas'
    openlist.restart()
    const body = { ...move, src_dir: '/' }
    expect(await post('fs/move', body, await adminToken())).toEqual(HAS_RULES)
  })
})

test('the rules of items are read where every change of them is', async () => {
  const d1 = new LaggingD1()
  site = new CheapSite(openlist.deps, { ...FILES_BINDINGS, DB: d1.binding })
  await d1.replicate()
  const me = await site.fetch('GET', '/api/me', { token })
  const headers = { 'X-D1-Bookmark': me.headers.get('X-D1-Bookmark') ?? '' }
  await d1.replicate()
  d1.forget()
  await site.post('/api/fs/list', { path: '/' }, { token, headers })
  expect(d1.asked.replica).toHaveLength(1)
  await site.post('/api/fs/remove', { dir: '/', names: ['a'] }, { token, headers })
  expect(d1.asked.replica).toHaveLength(1)
})

/** OpenList lists a folder, without those that are closed to the user. */
function list(names: readonly string[]): void {
  const objects = names.map((name) => ({ name, is_dir: !name.includes('.') }))
  openlist.answer = ({ path, body }) => {
    const { page = 1, per_page: size = 100 } = body.startsWith('{') ? JSON.parse(body) : {}
    const shown = objects.slice((page - 1) * size, page * size)
    const content = shown.length === 0 ? null : shown
    const hrefs = ['', ...names].map(
      (name) => `<D:response><D:href>/dav/${name}</D:href></D:response>`,
    )
    if (path.startsWith('/dav'))
      return new Response(`<D:multistatus xmlns:D="DAV:">${hrefs.join('')}</D:multistatus>`, {
        status: 207,
      })
    const data = path === '/api/fs/dirs' ? content : { content, total: names.length, readme: 'x' }
    return Response.json({ code: 200, message: 'success', data })
  }
}

describe('the way in', () => {
  const REFUSED = JSON.stringify({
    code: 403,
    message: 'password is incorrect or you have no permission',
    data: null,
  })
  const TIMES = { modified: '0001-01-01T00:00:00Z', created: '0001-01-01T00:00:00Z' }
  const NOTHING = { sign: '', thumb: '', hashinfo: 'null', hash_info: null }
  const TO = { name: 'to', size: 0, is_dir: true, ...TIMES, ...NOTHING, type: 1 }

  /** OpenList refuses. */
  function refuse(): void {
    openlist.answer = ({ path }) =>
      path.startsWith('/dav')
        ? new Response('Not Found', { status: 404 })
        : new Response(REFUSED, {
            headers: {
              'Content-Type': 'application/json; charset=utf-8',
              'Content-Length': String(REFUSED.length),
            },
          })
  }

  test('is listed, and nothing else', async () => {
    refuse()
    expect(await post('fs/list', { path: '/way' })).toEqual({
      code: 200,
      message: 'success',
      data: {
        content: [TO],
        total: 1,
        readme: '',
        header: '',
        write: false,
        write_content_bypass: false,
        provider: 'unknown',
      },
    })
    expect(site.meter.roundTrips).toBe(1)
  })

  test('is listed by pages', async () => {
    refuse()
    const pages = [[{ name: 'mine' }], [{ name: 'read & <b>' }], null]
    for (const [i, content] of pages.entries()) {
      const { data } = await post('fs/list', { path: '/way/to', page: i + 1, per_page: 1 })
      expect(data).toMatchObject({ content, total: 2 })
    }
  })

  test('is shown by fs/get and fs/dirs', async () => {
    refuse()
    expect((await post('fs/get', { path: '/way' })).data).toEqual({
      ...TO,
      name: 'way',
      type: 0,
      raw_url: '',
      readme: '',
      header: '',
      provider: 'unknown',
      related: null,
    })
    expect(site.meter.roundTrips).toBe(1)
    expect((await post('fs/dirs', { path: '/way' })).data).toEqual([
      { name: 'to', modified: TIMES.modified },
    ])
  })

  test.each(['/nas/closed', '/way/other', 'way/../way'])(
    'is not shown where there is none: %s',
    async (path) => {
      refuse()
      for (const name of ['fs/list', 'fs/get', 'fs/dirs'])
        expect(await post(name, { path })).toEqual(JSON.parse(REFUSED))
    },
  )

  test('is shown below a base path', async () => {
    const { id, as } = await newUser('bob', '/way')
    await rule('/way', 'none', { userId: id })
    await rule('/way/to/mine', 'read', { userId: id })
    refuse()
    expect((await post('fs/list', { path: '/' }, as)).data).toMatchObject({ content: [TO] })
    expect((await post('fs/get', { path: '/' }, as)).data).toMatchObject({ name: 'way' })
    expect((await post('fs/list', { path: 'to' }, as)).data).toMatchObject({
      content: [{ name: 'mine' }],
    })
  })

  test.each([
    ['0', ['/dav/way/to/']],
    ['1', ['/dav/way/to/', '/dav/way/to/mine/', '/dav/way/to/read%20%26%20%3Cb%3E/']],
  ])('is shown by PROPFIND of depth %s', async (depth, hrefs) => {
    refuse()
    const answer = await dav('PROPFIND', '/dav/way/to/', { Depth: depth })
    expect(answer.status).toBe(207)
    expect(answer.headers.get('Content-Type')).toBe('text/xml; charset=utf-8')
    const text = await answer.text()
    expect(Array.from(text.matchAll(/<D:href>(.*?)<\/D:href>/g), ([, href]) => href)).toEqual(hrefs)
    expect(text.includes('read &amp; &lt;b&gt;')).toBe(depth === '1')
  })

  test('is listed in an open folder, beside what OpenList lists', async () => {
    list(['docs', 'a.txt'])
    expect((await post('fs/list', { path: '/' })).data).toEqual({
      content: [
        { name: 'docs', is_dir: true },
        { ...TO, name: 'way' },
        { name: 'a.txt', is_dir: false },
      ],
      total: 3,
      readme: 'x',
    })
    expect(openlist.paths()).toEqual(['POST /api/fs/list'])
    expect(site.meter.roundTrips).toBe(1)
    list([])
    expect((await post('fs/list', { path: '/' })).data).toMatchObject({
      content: [{ name: 'way' }],
      total: 1,
    })
  })

  test.each([
    [1, ['a', 'b'], 5],
    [2, ['c', 'way'], 5],
    [3, ['zoo'], 5],
    [4, undefined, 5],
  ])('is listed in an open folder by pages: %s', async (page, names, total) => {
    await rule('/zoo', 'none')
    await rule('/zoo/mine', 'read')
    list(['a', 'b', 'c'])
    const { data } = await post('fs/list', { path: '/', page, per_page: 2 })
    expect(data.content?.map(({ name }: { name: string }) => name)).toEqual(names)
    expect(data.total).toBe(total)
  })

  test('is not listed twice, and not where it leads nowhere', async () => {
    list(['way', 'other'])
    expect((await post('fs/list', { path: '/' })).data).toMatchObject({
      content: [{ name: 'way' }, { name: 'other' }],
      total: 2,
    })
    for (const path of ['/nas', '/other', '/way/to/mine'])
      expect((await post('fs/list', { path })).data).toMatchObject({ total: 2 })
  })

  test('is listed by fs/dirs and PROPFIND of depth 1 in an open folder', async () => {
    list(['docs'])
    expect((await post('fs/dirs', { path: '/' })).data).toEqual([
      { name: 'docs', is_dir: true },
      { name: 'way', modified: TIMES.modified },
    ])
    for (const [depth, hrefs] of [
      ['0', ['/dav/', '/dav/docs']],
      ['1', ['/dav/', '/dav/docs', '/dav/way/']],
    ] as const) {
      const answer = await dav('PROPFIND', '/dav/', { Depth: depth })
      const found = (await answer.text()).matchAll(/<D:href>(.*?)<\/D:href>/g)
      expect(Array.from(found, ([, href]) => href)).toEqual(hrefs)
    }
  })

  test('of a member is listed where a group is shut out of the folder above', async () => {
    await site.db.delete(folderRules)
    await rule('/company', 'none', { builtIn: 'user' })
    await rule('/company/finance', 'write')
    const { as } = await newUser('bob', '/')
    list(['docs'])
    expect((await post('fs/list', { path: '/' })).data).toMatchObject({ total: 2 })
    expect((await post('fs/list', { path: '/' }, as)).data).toMatchObject({ total: 1 })
  })

  test.each(['/dav/nas/closed', '/dav/way/other/'])(
    'is not shown by PROPFIND where there is none: %s',
    async (path) => {
      refuse()
      expect((await dav('PROPFIND', path, { Depth: '1' })).status).toBe(404)
      expect((await dav('PROPFIND', '/dav/way')).status).toBe(404)
    },
  )
})

test('HEAD tells no length of what would be left out', async () => {
  openlist.answer = ({ path }) =>
    path.startsWith('/api/fs/')
      ? new Response(null, {
          headers: { 'Content-Type': 'application/json; charset=utf-8', 'Content-Length': '553' },
        })
      : undefined
  for (const as of [token, ''])
    for (const name of ['get', 'list', 'dirs']) {
      const headers = { Authorization: as }
      const answer = await site.fetch('HEAD', `/api/fs/${name}?path=/way/to/mine`, { headers })
      expect(answer.headers.get('Content-Length')).not.toBe('553')
    }
})

async function relatedOf(body: object, as = token): Promise<unknown> {
  return (await post('fs/get', body, as)).data
}

describe('a file beside a folder', () => {
  const related = [{ name: 'mine-secret.txt', sign: 'x' }]

  beforeEach(() => {
    openlist.answer = ({ path }) =>
      path.startsWith('/api/fs/get')
        ? Response.json({ code: 200, message: 'success', data: { name: 'mine', related } })
        : undefined
  })

  test('is not shown where the folder above is closed', async () => {
    expect(await relatedOf({ path: '/way/to/mine' })).toEqual({ name: 'mine', related: null })
    expect(await relatedOf({ path: '/nas/shown' })).toEqual({ name: 'mine', related })
    expect(site.meter.roundTrips).toBe(1)
  })

  test('is not shown to a request that may be understood in another way', async () => {
    await relatedOf({ path: '/nas/shown', PATH: '/way/to/mine' })
    expect(openlist.sent.at(-1)?.body).toBe('{"path":"/nas/shown"}')
    const form = await site.call('POST', '/api/fs/get', { token, body: 'path=/way/to/mine' })
    expect(form).toMatchObject({ code: 400 })
    const query = await site.get('/api/fs/get?path=/way/to/mine', { token })
    expect(query.data).toEqual({ name: 'mine', related: null })
  })

  test('is not shown beside the base path', async () => {
    await site.db.delete(folderRules)
    await asWritten()
    const { as } = await newUser('bob', '/way/to/mine')
    expect(await relatedOf({ path: '/' }, as)).toEqual({ name: 'mine', related: null })
    expect(await relatedOf({ path: '/a' }, as)).toEqual({ name: 'mine', related })
  })
})

describe('a move between storages', () => {
  const OTHER = {
    code: 403,
    message: 'the target is in another storage, copy the files there and delete them here',
  }
  const move = { src_dir: '/nas', dst_dir: '/way/to/mine', names: ['other'] }

  test.each<[storages: string[], body: object, answer: object]>([
    [['/'], {}, PASSED],
    [['/', '/else'], {}, PASSED],
    [['/way'], { src_dir: '/way/to/mine/a' }, PASSED],
    [['/', '/way'], {}, OTHER],
    [['/', '/nas', '/nas/other'], { src_dir: '/', names: ['nas/x', 'nas/other'] }, OTHER],
    [['/', '/nas/other/deep'], {}, OTHER],
    [['/', '/nas.balance1', '/nas'], {}, OTHER],
    [['/', '/nas', '/way'], { src_dir: '/way/to/mine/a' }, PASSED],
    [['/', '/way/to.balance'], {}, OTHER],
    [['/nas'], {}, OTHER],
    [[], {}, OTHER],
  ])('is refused: storages %j, %j', async (storages, body, answer) => {
    openlist.files['/way/to/mine/a/other/a.txt'] = 'a'
    openlist.storages = Object.fromEntries(storages.map((path) => [path, 'Local']))
    expect(await post('fs/move', { ...move, ...body })).toMatchObject(answer)
  })

  test('is refused in all its forms, and an admin may', async () => {
    openlist.storages = { '/': 'Local', '/way': 'Local' }
    const headers = { Destination: '/dav/way/to/mine/other' }
    expect((await dav('MOVE', '/dav/nas/other', headers)).status).toBe(403)
    expect(openlist.paths()).not.toContain('MOVE /dav/nas/other')
    expect((await dav('COPY', '/dav/nas/other', headers)).status).toBe(207)
    expect(await post('fs/copy', move)).toMatchObject(PASSED)
    openlist.folders.push('/nas/other')
    expect(await post('fs/move', move, await adminToken())).toMatchObject({ code: 200 })
    await site.db.delete(folderRules)
    await asWritten()
    expect(await post('fs/move', move)).toMatchObject(PASSED)
    await rule('/closed', 'none', { builtIn: 'guest' })
    const recursive = { src_dir: '/other', dst_dir: '/way/to/mine' }
    expect(await post('fs/recursive_move', recursive)).toMatchObject(OTHER)
    const inOne = { src_dir: '/other', dst_dir: '/nas' }
    expect(await post('fs/recursive_move', inOne)).toMatchObject(PASSED)
  })
})

describe('a folder whose name is no UTF-8', () => {
  beforeEach(() => rule('/nas/raw\ufffdk', 'none'))

  test('is closed by the rule for the name that OpenList shows', async () => {
    for (const [method, headers] of [
      ['GET', {}],
      ['PROPFIND', { Depth: '1' }],
      ['PUT', { 'Content-Length': '1' }],
      ['DELETE', {}],
      ['MKCOL', {}],
    ] as const)
      expect((await dav(method, '/dav/nas/raw%ffk/s.txt', headers)).status).toBe(403)
    const destination = { Destination: '/dav/nas/raw%ffk/top.txt' }
    expect((await dav('COPY', '/dav/nas/other/a.txt', destination)).status).toBe(403)
    const headers = {
      Authorization: token,
      'Content-Length': '0',
      'File-Path': '%2Fnas%2Fraw%ffk%2Fa',
    }
    expect(await (await site.fetch('PUT', '/api/fs/put', { headers })).json()).toEqual(DENIED)
    expect(openlist.paths()).toEqual([])
  })

  test.each(['/nas/other/raw%ffk', '/nas/raw%f0%9f%92%80k', '/raw%ffk'])(
    'leaves others open: %s',
    async (path) => {
      openlist.answer = () => new Response('')
      expect((await dav('GET', `/dav${path}`)).status).toBe(200)
      expect((await dav('PROPFIND', `/dav${path}`, { Depth: '0' })).status).toBe(200)
    },
  )
})

describe('a control character in a name that a user gives', () => {
  test.each<[string, object]>([
    ['fs/mkdir', { path: '/nas/x\ny' }],
    ['fs/rename', { path: '/nas/other/a.txt', name: 'x:\nmine' }],
    [
      'fs/batch_rename',
      { src_dir: '/nas/other', rename_objects: [{ src_name: 'a.txt', new_name: 'x\r' }] },
    ],
    ['fs/regex_rename', { src_dir: '/nas/other', src_name_regex: 'a', new_name_regex: '\n' }],
    ['fs/get_direct_upload_info', { path: '/nas/other', file_name: 'a\u0085b' }],
  ])('is refused to %s %j, as OpenList may keep the names in lines of a text', async (...given) => {
    const [name, body] = given
    expect(await post(name, body)).toEqual(DENIED)
    expect(openlist.paths()).toEqual([])
  })

  test('is refused to uploads and by WebDAV', async () => {
    const headers = { Authorization: token, 'Content-Length': '0', 'File-Path': '%2Fnas%2Fa%0Ab' }
    expect(await (await site.fetch('PUT', '/api/fs/put', { headers })).json()).toEqual(DENIED)
    const destination = { Destination: '/dav/nas/other/x%0Amine' }
    for (const method of ['MOVE', 'COPY'])
      expect((await dav(method, '/dav/nas/other/a.txt', destination)).status).toBe(403)
    expect((await dav('MKCOL', '/dav/nas/other/x%0A')).status).toBe(400)
    expect(openlist.paths()).toEqual([])
  })
})

describe('names that a request does not say, where a part of the storage is closed', () => {
  const between = { src_dir: '/nas', dst_dir: '/way/to/mine', names: ['other'] }
  const zip = { src_dir: '/nas', dst_dir: '/nas/other', name: ['a.zip'] }
  const EVIL = '..\\closed'

  beforeEach(() => {
    openlist.storages = { '/nas': 'Local', '/way': 'Local', '/mine': 'Local' }
    openlist.files['/nas/other/b/a.txt'] = 'a'
    openlist.files['/mine/a.txt'] = 'a'
  })

  test.each<[name: string, body: object]>([
    ['fs/archive/decompress', zip],
    ['fs/add_offline_download', { path: '/nas/other', urls: ['https://a.example.org'], tool: 'x' }],
    [
      'fs/add_offline_download',
      { path: '/nas/other', urls: ['https://a.example.org/..%5Cx'], tool: 'SimpleHttp' },
    ],
    ['fs/torrent/rapid_upload', { path: '/nas/other', torrent_data: 'x' }],
  ])('come from outside: %s', async (name, body) => {
    expect(await post(name, body)).toEqual(PARTLY_CLOSED)
    const open = { ...body, ...('path' in body ? { path: '/mine' } : { dst_dir: '/mine' }) }
    expect(await post(name, open)).toMatchObject(PASSED)
    openlist.storages = {}
    expect(await post(name, open)).toEqual(PARTLY_CLOSED)
  })

  test.each<[string, string, Record<string, string>, object]>([
    ['an Alias', 'Alias', {}, PARTLY_CLOSED],
    ['a Crypt', 'Crypt', {}, PARTLY_CLOSED],
    ['a Local one in a place that is partly closed', 'Local', { '/mine': '/d/a' }, PARTLY_CLOSED],
    ['a Local one above that place', 'Local', { '/mine': '/', '/nas': '/d/a' }, PARTLY_CLOSED],
    ['a Local one of another place', 'Local', { '/mine': '/d2' }, PASSED],
    ['an S3', 'S3', {}, PASSED],
  ])('come from outside into %s', async (_, driver, roots, expected) => {
    openlist.storages['/mine'] = driver
    openlist.roots = { '/nas': '/d', ...roots }
    const into = { src_dir: '/mine', dst_dir: '/mine', name: ['a.zip'] }
    expect(await post('fs/archive/decompress', into)).toMatchObject(expected)
  })

  test('list the storages once for all that is looked at', async () => {
    for (const body of [between, { ...between, dst_dir: '/nas/x' }])
      for (const name of ['fs/copy', 'fs/move', 'fs/archive/decompress']) {
        openlist.paths()
        await post(name, name.endsWith('s') ? zip : body)
        const lists = openlist.paths().filter((path) => path.includes('/admin/storage/list'))
        expect(lists).toHaveLength(1)
      }
  })

  test.each<[name: string, body: object]>([
    ['fs/remove_empty_directory', { src_dir: '/nas/other' }],
    ['fs/copy', between],
    ['fs/copy', { ...between, dst_dir: '/nas/other' }],
    ['fs/copy', { ...between, src_dir: '/', names: ['nas/other/b'] }],
  ])('are in the folder that is gone through: %s', async (name, body) => {
    expect(await post(name, body)).toMatchObject(PASSED)
    openlist.files[`/nas/other/b/${EVIL}`] = 'a'
    expect(await post(name, body)).toEqual(IN_PARTS)
    expect(await post(name, body, await adminToken())).toMatchObject({ code: 200 })
    await site.db.delete(folderRules)
    await asWritten()
    expect(await post(name, body)).toMatchObject(PASSED)
  })

  describe.each([
    ['a Crypt', 'Crypt', { remote_path: '/raw', filename_encryption: 'off' }],
    ['a Chunk', 'Chunk', { remote_path: '/raw' }],
    ['a Strm', 'Strm', { paths: 'a:/raw/a\nb:/raw/b' }],
    ['an Alias', 'Alias', { paths: '/raw' }],
    ['an Alias of a Crypt', 'Alias', { paths: '/vault' }],
  ])('may be made behind the storage after the look: %s', (_, driver, addition) => {
    const rename = { path: '/shown/mine', name: 'x' }
    const calls: [name: string, body: object][] = [
      ['fs/copy', { src_dir: '/shown', names: ['mine'], dst_dir: '/way/to/mine' }],
      ['fs/regex_rename', { src_dir: '/shown/mine', src_name_regex: 'm', new_name_regex: 'x' }],
      ['fs/remove_empty_directory', { src_dir: '/shown/mine' }],
    ]
    const all = (answer: object) => calls.map(() => answer)
    async function answers(): Promise<Envelope[]> {
      const found: Envelope[] = []
      for (const [name, body] of calls) found.push(await post(name, body))
      return found
    }

    beforeEach(() => {
      openlist.storages = { '/': 'Local', '/raw': 'Local', '/shown': driver }
      openlist.additions = { '/vault': { remote_path: '/raw' }, '/shown': addition }
      if ('paths' in addition && addition.paths === '/vault') openlist.storages['/vault'] = 'Crypt'
      openlist.files['/shown/mine/a.txt'] = 'a'
    })

    test('as long as some user may write there', async () => {
      expect(await answers()).toMatchObject(all(OPEN_BEHIND))
      const headers = { Destination: '/dav/way/to/mine/mine' }
      expect((await dav('COPY', '/dav/shown/mine', headers)).status).toBe(403)
      const move = { src_dir: '/shown', names: ['mine'], dst_dir: '/shown/to' }
      const expected = driver === 'Alias' ? { code: 403 } : OPEN_BEHIND
      expect(await post('fs/move', move)).toMatchObject(expected)
      expect(await post('fs/rename', rename)).toMatchObject(PASSED)
    })

    test('but not where nobody may', async () => {
      const bob = await site.addUser('bob', { password: PASSWORD, permission: ALL_BITS })
      await rule('/raw', 'none', { builtIn: 'user' })
      expect(await answers()).toMatchObject(all(PASSED))
      await rule('/raw/a/deep', 'write', { userId: bob })
      expect(await answers()).toMatchObject(all(OPEN_BEHIND))
      for (const fields of [{ basePath: '/raw2' }, { basePath: '/', permission: 1 }]) {
        await site.db.update(users).set(fields).where(eq(users.id, bob))
        expect(await answers()).toMatchObject(all(PASSED))
      }
    })

    test('also at a second path of that place', async () => {
      await rule('/raw', 'none')
      openlist.storages['/second'] = 'Local'
      openlist.roots = { '/raw': '/d/raw', '/second': '/d' }
      expect(await answers()).toMatchObject(all(OPEN_BEHIND))
      await rule('/second/raw', 'none')
      expect(await answers()).toMatchObject(all(PASSED))
      openlist.storages['/other'] = 'Chunk'
      openlist.additions['/other'] = { remote_path: '/raw' }
      expect(await answers()).toMatchObject(all(OPEN_BEHIND))
    })
  })

  test.each([
    ['an Alias of a folder that a storage of users is in', 'Alias', { paths: 'a:/nas' }, true],
    ['a Crypt whose names only the key makes', 'Crypt', SEALED, false],
    ['an Alias of one', 'Alias', { paths: '/vault' }, false],
    [
      'a Crypt of which some may make',
      'Crypt',
      { ...SEALED, directory_name_encryption: 'false' },
      true,
    ],
  ])('may be made behind the storage: %s', async (_, driver, addition, isOpen) => {
    openlist.storages = { '/': 'Local', '/nas/own': 'Local', '/shown': driver, '/vault': 'Crypt' }
    openlist.additions = { '/shown': addition, '/vault': SEALED }
    openlist.files['/shown/mine/a.txt'] = 'a'
    for (const path of ['/nas', '/raw']) await rule(path, 'none')
    await rule('/nas/own', 'write')
    const copy = { src_dir: '/shown', names: ['mine'], dst_dir: '/way/to/mine' }
    expect(await post('fs/copy', copy)).toMatchObject(isOpen ? OPEN_BEHIND : PASSED)
  })

  test.each<[name: string, body: object]>([
    ['fs/rename', { path: '/nas/other', name: 'x' }],
    ['fs/rename', { path: '/nas/other/b', name: 'x' }],
    [
      'fs/batch_rename',
      { src_dir: '/nas/other', rename_objects: [{ src_name: 'b', new_name: 'x' }] },
    ],
    ['fs/regex_rename', { src_dir: '/nas/other', src_name_regex: 'b', new_name_regex: 'x' }],
  ])('are in a folder that gets the name of one that waits to be copied: %s', async (...given) => {
    const [name, body] = given
    expect(await post(name, body)).toMatchObject(PASSED)
    openlist.files[`/nas/other/b/${EVIL}`] = 'a'
    expect(await post(name, body)).toEqual(IN_PARTS)
    await site.db.delete(folderRules)
    await rule('/way', 'none')
    expect(await post(name, body)).toMatchObject(PASSED)
  })

  test.each([
    ['an Alias', 'Alias', '/d2'],
    ['a Local one in a place that is partly closed', 'Local', '/d/other'],
  ])('are in a folder at its second path, by %s', async (_, driver, root) => {
    openlist.storages['/mine'] = driver
    // Nobody may write there.
    openlist.additions['/mine'] = { paths: '/way/back' }
    openlist.roots = { '/nas': '/d', '/mine': root }
    openlist.files[`/mine/b/${EVIL}`] = 'a'
    expect(await post('fs/rename', { path: '/mine/b', name: 'x' })).toEqual(IN_PARTS)
    const copy = { src_dir: '/mine', names: ['b'], dst_dir: '/way/to/mine' }
    expect(await post('fs/copy', copy)).toEqual(IN_PARTS)
    openlist.storages['/mine'] = 'Local'
    openlist.roots['/mine'] = '/d2'
    expect(await post('fs/rename', { path: '/mine/b', name: 'x' })).toMatchObject(PASSED)
    expect(await post('fs/copy', copy)).toMatchObject(PASSED)
  })

  test('may be in the other one of two storages at one path', async () => {
    const behind = [
      ['fs/copy', between],
      ['fs/rename', { path: '/nas/other', name: 'x' }],
      ['fs/remove_empty_directory', { src_dir: '/nas/other' }],
    ] as const
    for (const [name, body] of behind) expect(await post(name, body)).toMatchObject(PASSED)
    openlist.storages['/nas.balance'] = 'Local'
    for (const [name, body] of behind) expect(await post(name, body)).toEqual(OPEN_BEHIND)
    openlist.storages = { '/': 'Local', '/mine.balance': 'Local', '/mine': 'Local' }
    const open = { src_dir: '/mine', dst_dir: '/nas/x', names: ['a.txt'] }
    expect(await post('fs/copy', open)).toMatchObject(PASSED)
  })

  test('a move in a WebDav gets a name of its own, too', async () => {
    openlist.storages['/nas'] = 'WebDav'
    const move = { src_dir: '/nas/other', names: ['a.txt'], dst_dir: '/nas' }
    expect(await post('fs/move', move)).toEqual(DENIED)
    expect(await post('fs/move', { ...move, dst_dir: '/nas/x' })).toMatchObject(PASSED)
  })

  test('are `..`, as a storage in the cloud may have them', async () => {
    openlist.files['/nas/other/b/..'] = 'a'
    expect(await post('fs/copy', between)).toEqual(IN_PARTS)
  })

  test('do not matter where they are not gone through', async () => {
    openlist.files[`/nas/other/b/${EVIL}`] = 'a'
    openlist.files[`/mine/a/${EVIL}`] = 'a'
    const open = { ...between, src_dir: '/mine', names: ['a', 'new'] }
    expect(await post('fs/copy', open)).toMatchObject(PASSED)
    const file = { ...between, src_dir: '/nas/other/b', names: ['a.txt'] }
    expect(await post('fs/copy', file)).toMatchObject(PASSED)
  })

  test('are in a folder that is copied by WebDAV, or moved', async () => {
    const inOne = { ...between, dst_dir: '/nas/x' }
    expect(await post('fs/move', inOne)).toMatchObject(PASSED)
    const move = { Destination: '/dav/nas/x/other' }
    expect((await dav('MOVE', '/dav/nas/other', move)).status).toBe(207)
    const headers = { Destination: '/dav/way/to/mine/other' }
    expect((await dav('COPY', '/dav/nas/other', headers)).status).toBe(207)
    openlist.files[`/nas/other/b/${EVIL}`] = 'a'
    expect((await dav('COPY', '/dav/nas/other', headers)).status).toBe(403)
    expect((await dav('MOVE', '/dav/nas/other', move)).status).toBe(403)
    expect(await post('fs/move', inOne)).toEqual(IN_PARTS)
    const rename = { Destination: '/dav/nas/new' }
    expect((await dav('MOVE', '/dav/nas/other', rename)).status).toBe(403)
    expect((await dav('MOVE', '/dav/nas/other/a.txt', rename)).status).toBe(207)
  })

  test.each([
    ['of a whole storage', 'Local', { src_dir: '/', names: ['mine'] }, '/dav/mine'],
    ['of a whole storage', 'Local', { src_dir: '/mine', names: [''] }, '/dav/mine/'],
    ['out of an Alias', 'Alias', { src_dir: '/mine', names: ['a.txt'] }, '/dav/mine/a.txt'],
    ['out of a Crypt', 'Crypt', { src_dir: '/mine', names: ['a.txt'] }, '/dav/mine/a.txt'],
    ['out of a WebDav', 'WebDav', { src_dir: '/mine', names: ['a.txt'] }, '/dav/mine/a.txt'],
  ])('are those of a copy %s: %s %j', async (_, driver, source, davPath) => {
    await rule('/nas/other/Cloud Drive', 'none')
    openlist.storages['/mine'] = driver
    // Nobody may write there.
    openlist.additions['/mine'] = { paths: '/way/back' }
    expect(await post('fs/copy', { ...source, dst_dir: '/nas/other' })).toEqual(DENIED)
    const headers = { Destination: '/dav/nas/other/x' }
    expect((await dav('COPY', davPath, headers)).status).toBe(403)
    expect(await post('fs/copy', { ...source, dst_dir: '/nas/x' })).toMatchObject(PASSED)
    openlist.storages['/mine'] = 'S3'
    const file = { src_dir: '/mine', names: ['a.txt'], dst_dir: '/nas/other' }
    expect(await post('fs/copy', file)).toMatchObject(PASSED)
  })

  test('are not in a file, whose folder is not listed for it', async () => {
    const move = { src_dir: '/nas/other', dst_dir: '/nas/x', names: ['a.txt', 'new.txt'] }
    const [file] = move.names
    const rename = { path: `/nas/other/${file}`, name: 'b.txt' }
    openlist.folders.push('/nas/other')
    openlist.paths()
    expect(await post('fs/rename', rename)).toMatchObject(PASSED)
    expect(openlist.paths()).not.toContain('POST /api/fs/list')
    expect(await post('fs/move', move)).toEqual(NOT_THERE)
    for (let i = 0; i < 30; i++) openlist.files[`/nas/other/${i}.txt`] = 'a'
    const names = Array.from({ length: 30 }, (_, i) => `${i}.txt`)
    openlist.paths()
    expect(await post('fs/move', { ...move, names })).toMatchObject(PASSED)
    expect(openlist.paths().length).toBeLessThan(12)
  })

  test.each<[name: string, body: object]>([
    ['fs/copy', { ...between, names: ['gone'] }],
    ['fs/copy', { ...between, src_dir: '/nas/gone' }],
    ['fs/copy', { ...between, names: ['other', 'a', 'b'] }],
    ['fs/copy', { ...between, src_dir: '/else' }],
    ['fs/move', { ...between, dst_dir: '/nas/x', names: ['gone'] }],
    ['fs/rename', { path: '/nas/gone', name: 'x' }],
    ['fs/remove_empty_directory', { src_dir: '/nas/gone' }],
  ])('are not looked for where nothing is there: %s %j', async (name, body) => {
    openlist.folders.push('/nas/other')
    openlist.answer = ({ path, body: sent }) => {
      const isOutside = path === '/api/fs/get' && sent.includes('/else')
      const isGone = path === '/api/fs/list' && sent.includes('/gone')
      if (!isOutside && !isGone) return undefined
      const message = isOutside
        ? 'failed get storage: storage not found; rawPath: /else/other'
        : 'failed get objs: failed get dir: failed to get obj: object not found'
      return Response.json({ code: 500, message, data: null })
    }
    expect(await post(name, body)).toEqual(NOT_THERE)
    expect(openlist.paths()).not.toContain(`POST /api/${name}`)
    const copied = await dav('COPY', '/dav/nas/gone', { Destination: '/dav/way/to/mine/x' })
    expect(copied.status).toBe(404)
  })

  test('are too many to be looked through where a storage does not tell', async () => {
    openlist.answer = ({ path }) =>
      path === '/api/fs/get' || path === '/api/fs/list'
        ? Response.json({ code: 500, message: 'object not found: EIO', data: null })
        : undefined
    expect(await post('fs/copy', between)).toEqual(IN_PARTS)
  })

  test('are too many to be looked through', async () => {
    for (let i = 0; i < 500; i++) openlist.files[`/nas/other/${i}/a`] = 'a'
    expect(await post('fs/copy', between)).toEqual(IN_PARTS)
  })

  test('a move in an Alias is one between other storages', async () => {
    openlist.storages['/nas'] = 'Alias'
    const move = { src_dir: '/nas', names: ['other'], dst_dir: '/nas/x' }
    expect(await post('fs/move', move)).toMatchObject({ code: 403 })
    openlist.storages['/nas'] = 'Crypt'
    openlist.additions['/nas'] = { remote_path: '/raw' }
    await rule('/raw', 'none')
    expect(await post('fs/move', move)).toMatchObject(PASSED)
  })
})

describe('a file that is copied or moved in the place of a folder', () => {
  const copy = { src_dir: '/nas/other', dst_dir: '/nas/to', names: ['a.txt'] }
  const names = Array.from({ length: 30 }, (_, i) => `${i}.txt`)
  const onto = (name: string) => ({ ...copy, names: [...names, name] })

  beforeEach(() => {
    for (const name of [...names, 'file.txt', 'd/x.txt']) openlist.files[`/nas/other/${name}`] = 'a'
    openlist.folders.push('/nas/to', '/nas/to/a.txt', '/nas/to/d')
    for (const name of ['0.txt', 'a.txt/keep', 'd/y.txt', 'FILE.TXT/keep'])
      openlist.files[`/nas/to/${name}`] = 'a'
  })

  test.each<[name: string, body: object, expected: object]>([
    ['fs/copy', { ...copy, overwrite: true }, DENIED],
    ['fs/copy', { ...copy, merge: true }, DENIED],
    ['fs/copy', { ...copy, overwrite: true, skip_existing: true }, DENIED],
    ['fs/copy', { ...copy, names: ['x/../a.txt'], overwrite: true }, DENIED],
    ['fs/copy', { ...onto('a.txt'), overwrite: true }, DENIED],
    ['fs/copy', { ...copy, names: ['d'], merge: true }, PASSED],
    ['fs/copy', { ...onto('d'), overwrite: true }, PASSED],
    ['fs/copy', { ...copy, src_dir: '/', names: ['nas/other/d', 'a.txt'], merge: true }, NOT_THERE],
    ['fs/move', { ...copy, overwrite: true }, DENIED],
    ['fs/move', { ...onto('a.txt'), overwrite: true }, DENIED],
    ['fs/move', { ...onto('d'), overwrite: true }, PASSED],
  ])('is refused, and OpenList would delete the folder: %s %j', async (name, body, expected) => {
    expect(await post(name, body)).toMatchObject(expected)
    expect(await post(name, body, await adminToken())).not.toMatchObject({ code: 403 })
    await site.db.delete(folderRules)
    await asWritten()
    openlist.paths()
    expect(await post(name, body)).toMatchObject(PASSED)
    expect(openlist.paths()).toEqual([`POST /api/${name}`])
  })

  test('is refused by WebDAV, which asks nobody', async () => {
    for (const name of ['a.txt', 'new.txt']) {
      const headers = { Destination: `/dav/nas/to/${name}`, Overwrite: 'F' }
      for (const method of ['COPY', 'MOVE'])
        expect((await dav(method, '/dav/nas/other/a.txt', headers)).status).toBe(403)
    }
    const headers = { Destination: '/dav/nas/to/d' }
    expect((await dav('COPY', '/dav/nas/other/d', headers)).status).toBe(207)
    expect((await dav('COPY', '/dav/nas/other/0.txt', headers)).status).toBe(207)
  })

  test('costs nothing where OpenList refuses it by itself', async () => {
    await site.db.delete(folderRules)
    await rule('/else', 'read')
    openlist.paths()
    for (const more of [{}, { skip_existing: true }])
      expect(await post('fs/copy', { ...copy, ...more })).toMatchObject(PASSED)
    expect(openlist.paths()).not.toContain('POST /api/fs/get')
  })

  test('is looked for in one list of the folder, however many names there are', async () => {
    await site.db.delete(folderRules)
    await rule('/else', 'read')
    const looks = async (body: object, expected: object) => {
      openlist.paths()
      expect(await post('fs/copy', { ...body, overwrite: true })).toMatchObject(expected)
      return openlist.paths().filter((path) => /fs\/(?:get|list)$/.test(path))
    }
    const [get, whole] = ['POST /api/fs/get', 'POST /api/fs/list']
    expect(await looks({ ...copy, names }, PASSED)).toEqual([whole])
    expect(await looks({ ...copy, names: ['0.txt', '1.txt'] }, PASSED)).toEqual([get, get])
    openlist.answer = ({ path, body }) =>
      path === '/api/fs/list' && body.includes('/gone')
        ? Response.json({ code: 500, message: 'object not found', data: null })
        : undefined
    expect(await looks({ ...copy, dst_dir: '/gone', names }, PASSED)).toEqual([whole, get])
    expect(await looks({ ...copy, dst_dir: '/gone' }, PASSED)).toEqual([get])
    // Its storage does not look at the case.
    expect(await looks(onto('file.txt'), PASSED)).toEqual([whole, get])
    openlist.folders.push('/nas/to/file.txt')
    expect(await looks(onto('file.txt'), DENIED)).toEqual([whole, get, get])
    expect(await looks({ ...copy, names: ['file.txt'] }, DENIED)).toEqual([get, get])
  })

  test.each([
    ['a folder that is too long to be listed', 'list', 200, 'a.txt', DENIED],
    ['a folder that OpenList tells nobody of', 'get', 403, 'a.txt', DENIED],
    ['a file without a link', 'get', 500, '0.txt', PASSED],
    ['nothing of the name', 'get', 500, '1.txt', PASSED],
    ['a folder whose list is as closed', '', 403, '0.txt', DENIED],
  ])('is refused where nobody knows: %s', async (_, call, code, name, expected) => {
    await site.db.delete(folderRules)
    await rule('/else', 'read')
    openlist.answer = ({ path, body }) =>
      path.startsWith(`/api/fs/${call}`) && body.includes('"/nas/to')
        ? Response.json({ code, message: 'failed', data: null })
        : undefined
    const body = call === 'list' ? onto(name) : { ...copy, names: [name] }
    expect(await post('fs/copy', { ...body, overwrite: true })).toMatchObject(expected)
  })
})

function failed(kind: string, id: string): StandInTask {
  return {
    kind,
    id,
    name: 'copy [/](/a) to [/](/b)',
    creator: 'alice',
    creator_role: 0,
    state: FAILED,
  }
}

function fail(kind: string, ...ids: string[]): void {
  openlist.tasks.rows.push(...ids.map((id) => failed(kind, id)))
}

const RETRIES = [
  'task/copy/retry?tid=ours',
  'task/move/retry_some',
  'task/upload/retry_failed',
  'task/decompress/retry?tid=ours',
  'task/offline_download/retry_some',
  'task/of_another_kind/retry_failed',
]

describe('a task that is begun again', () => {
  test.each(RETRIES)('is refused where there are rules, and an admin may: %s', async (name) => {
    expect(await post(name, ['ours'])).toEqual(DENIED)
    expect(openlist.paths()).toEqual([])
    expect(await post(name, ['ours'], await adminToken())).toMatchObject({ code: 200 })
    expect(openlist.paths()).toContain(`POST /api/${name}`)
  })
})

describe('without rules', () => {
  beforeEach(async () => {
    await site.db.delete(folderRules)
    await asWritten()
  })

  test.each(RETRIES)('a task that has failed is begun again: %s', async (name) => {
    const [, kind = ''] = name.split('/')
    fail(kind, 'ours', 'other')
    expect(await post(name, ['ours'])).toMatchObject(PASSED)
    expect(openlist.paths()).toContain(`POST /api/${name}`)
  })

  test('a task is begun again once in ten seconds, of each kind', async () => {
    for (const kind of ['copy', 'move']) fail(kind, 'ours')
    const [one, ...others] = await Promise.all([
      ...Array.from({ length: 4 }, () => post('task/copy/retry?tid=ours', [])),
      post('task/copy/retry_some', ['ours']),
      post('task/copy/retry_failed', []),
    ]).then((answers) => answers.toSorted((a, b) => a.code - b.code))
    expect(one).toMatchObject(PASSED)
    for (const other of others)
      expect(other).toEqual({
        code: 429,
        message: 'wait 10 seconds before you retry tasks again',
        data: null,
      })
    expect(await post('task/move/retry?tid=ours', [])).toMatchObject(PASSED)
    expect(openlist.paths().filter((path) => path.includes('retry'))).toHaveLength(2)
    site.now += 10_000
    expect(await post('task/copy/retry?tid=ours', [])).toMatchObject(PASSED)
  })

  test.each([
    ['has succeeded', { state: SUCCEEDED }],
    ['waits', { state: PENDING }],
    ['is not there', { id: 'another' }],
  ])('a task is not begun again that %s', async (_, task) => {
    fail('copy', 'failed')
    openlist.tasks.rows.push({ ...failed('copy', 'ours'), ...task })
    expect(await post('task/copy/retry_some', ['failed', 'ours'])).toEqual(DENIED)
    site.now += 10_000
    expect(await post('task/copy/retry?tid=ours', [])).toEqual(DENIED)
    expect(openlist.paths().filter((path) => path.includes('retry'))).toEqual([])
  })

  test('a task that is named twice is begun again once', async () => {
    fail('copy', 'ours')
    await post('task/copy/retry_some', ['ours', 'ours'])
    expect(openlist.sent.find(({ path }) => path.endsWith('retry_some'))?.body).toBe('["ours"]')
  })

  test('a name that leaves the base path is refused', async () => {
    const { as } = await newUser('bob', '/way')
    const body = { src_dir: '/', dst_dir: '/', names: ['..\\closed'] }
    expect(await post('fs/copy', body, as)).toEqual(DENIED)
    expect(await post('fs/copy', { ...body, names: ['a', 'b/c'] }, as)).toMatchObject({ code: 200 })
  })

  test('a refusal costs one trip to D1', async () => {
    openlist.answer = () => new Response('Not Found', { status: 404 })
    await dav('PROPFIND', '/dav/way', { Depth: '1' })
    await site.settle()
    expect((await dav('PROPFIND', '/dav/way', { Depth: '1' })).status).toBe(404)
    expect(site.meter.roundTrips).toBe(1)
  })
})

test('a right that waits to be taken is taken before a request', async () => {
  await site.db.delete(folderRules)
  await site.db.insert(folderRules).values({ path: '/x', userId, access: 'none', createdAt: 0 })
  expect(await post('fs/list', { path: '/' })).toMatchObject(PASSED)
  expect(openlist.metas.admits(userId, '/x', 'read')).toBe(false)
  const paths = openlist.paths()
  expect(paths.indexOf('POST /api/fs/list')).toBe(paths.length - 1)
})

/** Sends a part of an upload, and its end. */
const partOf = (id: string, as = token) =>
  Promise.all([
    site.fetch('PUT', '/api/fs/multipart/chunk', {
      headers: { Authorization: as, 'X-Upload-Id': id, 'X-Chunk-Index': '0' },
      body: 'x',
    }),
    site.fetch('POST', '/api/fs/multipart/complete', {
      headers: { Authorization: as, 'X-Upload-Id': id },
    }),
  ]).then((answers) => Promise.all(answers.map((answer) => answer.json())))

/** Gives an upload up: OpenList may delete what stands at its path. */
const giveUp = (id: string) =>
  site
    .fetch('POST', '/api/fs/multipart/abort', {
      headers: { Authorization: token, 'X-Upload-Id': id },
    })
    .then((answer) => answer.json())

describe('a part of an upload that was begun before its folder was closed', () => {
  test('an upload that is given up deletes nothing in a closed folder', async () => {
    openlist.uploads.set('in closed', '/nas/closed/new.txt').set('open', '/nas/open/new.txt')
    expect(await giveUp('in closed')).toEqual(DENIED)
    expect(await giveUp('open')).toMatchObject({ code: 200 })
    expect(openlist.paths().filter((path) => path.includes('abort'))).toHaveLength(1)
  })

  test('is refused', async () => {
    openlist.uploads.set('in closed', '/nas/closed/new.txt').set('the folder', '/nas/closed')
    for (const id of ['in closed', 'the folder']) expect(await partOf(id)).toEqual([DENIED, DENIED])
    expect(openlist.paths().filter((path) => /chunk|complete/.test(path))).toEqual([])
  })

  test('is passed on elsewhere, and to an upload that is not there', async () => {
    openlist.uploads.set('open', '/nas/open/new.txt')
    for (const id of ['open', 'gone'])
      expect(await partOf(id)).toMatchObject([{ code: 200 }, { code: 200 }])
  })

  test('is passed on without a question where there are no rules', async () => {
    await site.db.delete(folderRules)
    await asWritten()
    openlist.uploads.set('in closed', '/nas/closed/new.txt')
    expect(await partOf('in closed')).toMatchObject([{ code: 200 }, { code: 200 }])
    expect(openlist.paths().filter((path) => path.includes('status'))).toEqual([])
  })
})

/** Asks as somebody who is not signed in. @returns The answer. */
async function openShare(path: string, text?: string, type = 'application/json'): Promise<string> {
  if (text === undefined) return (await site.fetch('GET', path)).text()
  const headers = { 'Content-Type': type, 'Content-Length': String(text.length) }
  return (await site.fetch('POST', path, { body: text, headers })).text()
}

/** The requests that read a share. */
function waysInto(id: string): [path: string, text?: string][] {
  return [
    [`/sd/${id}/a`],
    [`/sad/${id}/a.zip?inner=/a`],
    ...['list', 'get', 'archive/meta', 'archive/list'].map((name): [string, string] => [
      `/api/fs/${name}`,
      `{"path":"/@s/${id}"}`,
    ]),
  ]
}

/** Changes the account of Alice past the interface, and lets the next run write it. */
async function changeAlice(values: Partial<typeof users.$inferInsert>): Promise<void> {
  await site.db.update(users).set(values).where(eq(users.id, userId))
  await runFrequently(site.deps)
}

describe('a share of a folder that is closed', () => {
  const share = { disabled: false, creator: 'alice', creator_role: 0 }
  const ENDED = 'the share has expired or is no longer valid'
  beforeEach(async () => {
    // The guest is known there.
    await openShare('/api/fs/list', '{"path":"/"}')
    await site.settle()
    openlist.sent.splice(0)
    openlist.shares.rows.push(
      { ...share, id: 'closed', files: ['/nas/shown', '/nas/closed'] },
      { ...share, id: 'shown', files: ['/nas/shown'] },
    )
  })

  test.each([
    ['a file', '/sd/<id>/a'],
    ['itself', '/sd/<id>'],
    ['a file of an archive', '/sad/<id>/a.zip?inner=/a'],
    ['a folder', '/api/fs/list', '{"path":"/@s/<id>/below"}'],
    ['a folder, in another form', '/api/fs/list', '{"path":"/@s<id>"}'],
    ['a folder, in a query', '/api/fs/list?path=/@s/<id>&path=/nas'],
    ['an object', '/api/fs/get', '{"path":"/@s/<id>"}'],
    ['an archive', '/api/fs/archive/meta', '{"path":"/@s/<id>/a.zip"}'],
    ['the files of an archive', '/api/fs/archive/list', '{"path":"/@s/<id>/a.zip"}'],
  ])('gives nothing, though it is not disabled there: %s', async (_, path, text?: string) => {
    const ask = (id: string) => openShare(path.replace('<id>', id), text?.replace('<id>', id))
    expect(await ask('closed')).toContain(ENDED)
    expect(openlist.paths()).toEqual(['GET /api/share/get?id=closed'])
    expect(await ask('shown')).not.toContain(ENDED)
  })

  test.each([
    ['a member of another case', '{"path":"/nas/shown","Path":"/@s/closed"}'],
    ['a form', 'path=/@s/closed', 'application/x-www-form-urlencoded'],
    ['a number', '{"path":"/@s/closed","page":"1"}'],
    ['two texts', '{"path":"/@s/closed"}{"path":"/nas/shown"}'],
  ])('is not reached by %s', async (_, text, type?: string) => {
    for (const name of ['list', 'get', 'archive/meta', 'archive/list'])
      await openShare(`/api/fs/${name}`, text, type)
    expect(openlist.sent.map(({ body }) => body).join('\n')).not.toContain('@s')
  })

  test.each(['/sd/<id>/a', '/sd%2f<id>/a', '/sad/<id>/a.zip?inner=/a'])(
    'gives nothing by an id of any letters: %s',
    async (path) => {
      openlist.shares.rows.push({ ...share, id: '分享-1', files: ['/nas/closed'] })
      const encoded = encodeURIComponent('分享-1')
      expect(await openShare(path.replace('<id>', encoded))).toContain(ENDED)
      expect(openlist.paths()).toEqual([`GET /api/share/get?id=${encoded}`])
    },
  )

  test.each(['/sd/%ff/a', '/sd/closed%c0%80/a', '/sad/%ff/a.zip?inner=/a'])(
    'is not found by an id that is no text: %s',
    async (path) => {
      const answer = await site.fetch('GET', path)
      expect(answer.status).toBe(404)
      expect(await answer.text()).toContain(ENDED)
      expect(openlist.paths()).toEqual([])
    },
  )

  test('is not passed on when none of its id is known', async () => {
    expect(await openShare('/sd/other/a')).toContain(ENDED)
    expect(openlist.paths()).toEqual(['GET /api/share/get?id=other'])
  })

  test('gives nothing though it is disabled there, because it may be enabled meanwhile', async () => {
    for (const row of openlist.shares.rows) row.disabled = true
    expect(await openShare('/sd/closed/a')).toContain(ENDED)
    expect(openlist.paths()).toEqual(['GET /api/share/get?id=closed'])
  })

  test.each([
    ['/sd/shown/a', undefined],
    ['/api/fs/list', '{"path":"/@s/shown"}'],
  ])('is looked at again before its answer is passed on: %s', async (path, text) => {
    openlist.answer = ({ path: asked }) => {
      if (asked === path) for (const row of openlist.shares.rows) row.files = ['/nas/closed']
      return undefined
    }
    expect(await openShare(path, text)).toContain(ENDED)
  })

  test('gets no other files from a user who may not read its present ones', async () => {
    const change = { id: 'closed', files: ['/nas/shown'] }
    expect(await post('share/update', change)).toEqual(DENIED)
    expect(await post('share/update', { ...change, id: 'shown' })).toMatchObject({ code: 200 })
  })

  test('is over for admins as well', async () => {
    const answer = await post('fs/list', { path: '/@s/closed' }, await adminToken())
    expect(answer).toEqual({ code: 404, message: ENDED, data: null })
  })

  test.each<[what: string, change: Partial<typeof users.$inferInsert>]>([
    ['is disabled', { disabled: true }],
    ['has ended', { endsAt: 1 }],
    ['may share no more', { permission: ALL_BITS & ~PERMISSION.share }],
    ['has a base folder that does not hold all files', { basePath: '/nas/shown/a' }],
    ['is a disabled admin', { role: 2, disabled: true }],
  ])('gives nothing while its user %s, and is not disabled for ever', async (_, change) => {
    const before = { disabled: false, endsAt: null, permission: ALL_BITS, basePath: '/', role: 0 }
    openlist.shares.rows.push({ ...share, id: 'deep', files: ['/nas/shown', '/nas/shown/a'] })
    await changeAlice(change)
    for (const [path, text] of waysInto('deep'))
      expect(await openShare(path, text)).toContain(ENDED)
    await changeAlice(before)
    for (const [path, text] of waysInto('deep'))
      expect(await openShare(path, text)).not.toContain(ENDED)
  })

  test('gives nothing once its user is deleted, while the file server still has it', async () => {
    await site.db.delete(users).where(eq(users.id, userId))
    await rule('/nas', 'read', { builtIn: 'user' })
    for (const [path, text] of waysInto('shown'))
      expect(await openShare(path, text)).toContain(ENDED)
  })

  test('is that of its user below the base folder, and of an admin anywhere', async () => {
    await site.db.update(users).set({ basePath: '/nas/' }).where(eq(users.id, userId))
    expect(await openShare('/sd/shown/a')).not.toContain(ENDED)
    const admin = { role: 2, permission: 0, basePath: '/x' }
    await site.db.update(users).set(admin).where(eq(users.id, userId))
    expect(await openShare('/sd/shown/a')).not.toContain(ENDED)
  })

  test('is not looked at on a site without rules', async () => {
    await site.db.delete(folderRules)
    await site.db.delete(folderMetas)
    await site.db.update(users).set({ disabled: true }).where(eq(users.id, userId))
    expect(await openShare('/sd/shown/a')).not.toContain(ENDED)
    expect(openlist.paths()).toEqual(['GET /sd/shown/a'])
  })

  test('ends where all users are kept out, if its user has no account here', async () => {
    openlist.shares.rows.push({ ...share, id: 'free', files: ['/free'], creator: 'stranger' })
    expect(await openShare('/sd/free/a')).not.toContain(ENDED)
    await rule('/free', 'none', { builtIn: 'user' })
    expect(await openShare('/sd/free/a')).toContain(ENDED)
  })

  test('is given to all when its user is an admin', async () => {
    for (const row of openlist.shares.rows) row.creator_role = 2
    expect(await openShare('/sd/closed/a')).not.toContain(ENDED)
  })

  test('follows a rule that was just changed', async () => {
    await site.db.update(folderRules).set({ access: 'read' })
    expect(await openShare('/sd/closed/a')).not.toContain(ENDED)
    await site.db.update(folderRules).set({ access: 'none' })
    expect(await openShare('/sd/closed/a')).toContain(ENDED)
  })

  test('tells a person so on a page', async () => {
    const page = await site.fetch('GET', '/sd/closed/a', { headers: { Accept: 'text/html' } })
    expect(page.status).toBe(404)
    expect(await page.text()).toContain('This share has ended.')
  })

  test('gives nothing while the file server can’t be asked', async () => {
    openlist.answer = ({ path }) =>
      path.startsWith('/api/share/get') ? new Response('', { status: 500 }) : undefined
    expect(await openShare('/sd/closed/a')).toContain('the file server gave no usable answer')
  })
})

test.each(['/dav/nas/closed/secret.txt', '/dav/nas/closed/no-such-name', '/dav/'])(
  'the methods of WebDAV tell no names: %s',
  async (path) => {
    openlist.answer = () => new Response(null, { headers: { Allow: 'OPTIONS, PUT, MKCOL' } })
    for (const options of [await site.fetch('OPTIONS', path), await dav('OPTIONS', path)]) {
      expect(options.status).toBe(200)
      expect(options.headers.get('DAV')).toBe('1, 2')
      expect(options.headers.get('Allow')).toContain('PROPFIND, PROPPATCH, MKCOL')
    }
    expect(openlist.paths()).toEqual([])
  },
)

test.each([
  ['http://127.0.0.1:5244/d/nas/closed/a.txt', DENIED],
  ['http://2130706433/a', DENIED],
  ['https://[::1]/a', DENIED],
  ['http://openlist:5244/a', DENIED],
  ['ftp://192.168.1.2/a', DENIED],
  // What Go reads, and `URL` does not.
  ['\u0085http://127.0.0.1/a', DENIED],
  ['\u00a0http://127.0.0.1/a', DENIED],
  ['\u2028http://127.0.0.1/a', DENIED],
  ['\u3000http://127.0.0.1/a', DENIED],
  ['http://::1:5244/a', DENIED],
  ['http://[::1%25lo]:5244/a', DENIED],
  ['http://files.example.org/a\nhttp://127.0.0.1/a', DENIED],
  // What another program reads in another way.
  ['http://010.1.2.3/a', DENIED],
  ['http://files.example.org\\@127.0.0.1/a', DENIED],
  ['http://files.example.org?:@127.0.0.1/a', DENIED],
  ['magnet:?xt=urn:btih:0&ws=http://127.0.0.1/a', DENIED],
  ['ed2k://|file|a|1|00000000000000000000000000000000|s=http://127.0.0.1/a|/', DENIED],
  ['thunder://QUFodHRwOi8vMTI3LjAuMC4xL2FaWg==', DENIED],
  ['/tmp/a.torrent', DENIED],
  ['https://files.example.org/a', PASSED],
  ['HTTPS://Files.Example.org:8443/文件/a%20b?c=d#e', PASSED],
  ['http://[2606:4700::1111]/', PASSED],
  ['ftp://1.1.1.1', PASSED],
  [' https://files.example.org/a\r', PASSED],
  ['', PASSED],
  ['magnet:?xt=urn:btih:0&dn=a&tr=udp://tracker.example.org:6969', PASSED],
  ['ed2k://|file|a%20b.zip|1|00000000000000000000000000000000|h=ABC|/', PASSED],
])('no offline download goes around the rules in this network: %s', async (url, expected) => {
  const urls = ['https://files.example.org/b', url]
  const body = { path: '/way/to/mine', urls, tool: 'SimpleHttp' }
  expect(await post('fs/add_offline_download', body)).toMatchObject(expected)
})

test('an archive is not unpacked into a new folder above the target, without rules too', async () => {
  const { as } = await newUser('bob', '/home/bob')
  await site.db.delete(folderRules)
  await asWritten()
  openlist.paths()
  for (const target of ['/', '/a']) {
    const body = { src_dir: '/', dst_dir: target, name: ['...zip'] }
    const intoNew = { ...body, put_into_new_dir: true }
    expect(await post('fs/archive/decompress', intoNew, as)).toEqual(DENIED)
    expect(openlist.paths()).toEqual([])
    expect(await post('fs/archive/decompress', body, as)).toMatchObject({ code: 200 })
    expect(openlist.paths()).toEqual(['POST /api/fs/archive/decompress'])
  }
})

function renameInMine(from: string, to: string, as = token): Promise<Envelope> {
  const body = { src_dir: '/mine', src_name_regex: from, new_name_regex: to }
  return post('fs/regex_rename', body, as)
}

describe('POST /api/fs/regex_rename', () => {
  beforeEach(() => {
    openlist.files = { '/mine/a-1.txt': '', '/nas/closed': '' }
  })

  test.each([
    ['-', '+', '/mine/a+1.txt'],
    ['^(.)-(.)', '$2-$1', '/mine/1-a.txt'],
    ['^(.)-(.)|q', '${2}${1}$', '/mine/1a$.txt'],
    ['A|a', '$$1', '/mine/$1-1.txt'],
    ['(a)|(b)', '$2', '/mine/-1.txt'],
  ])('renames as it was asked: %s to %s', async (from, to, renamed) => {
    expect(await renameInMine(from, to)).toMatchObject(PASSED)
    expect(Object.keys(openlist.files).toSorted()).toEqual([renamed, '/nas/closed'])
  })

  test.each(['^.*closed$', '.*', '[^x]+', String.raw`^(..)\\(nas)\\(.*)$`, '^|.*'])(
    'renames nothing that a name leads to: %s',
    async (from) => {
      openlist.files = { '/nas/closed': '', '/mine/..\\nas\\closed': '' }
      for (const as of [token, await adminToken()])
        expect(await renameInMine(from, 'taken', as)).toMatchObject({ code: 403 })
      expect(openlist.paths()).toContain('POST /api/fs/regex_rename')
      expect(Object.keys(openlist.files).toSorted()).toContain('/nas/closed')
    },
  )
})
