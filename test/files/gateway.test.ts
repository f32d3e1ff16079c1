import { eq } from 'drizzle-orm'
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { appPasswords, fileUsers, users } from '../../schema/tables.ts'
import { insertFileUser } from '../../src/capabilities/files/store.ts'
import { runFrequently } from '../../src/app/frequent-run.ts'
import { addAppPassword } from '../support/app-passwords.ts'
import { CheapSite } from '../support/cheap-site.ts'
import { lockInfo } from '../support/openlist-locks.ts'
import {
  FILES_BINDINGS,
  FILES_ORIGIN,
  FILES_TOKEN,
  OpenListStandIn,
  signedLink,
} from '../support/openlist-stand-in.ts'
import type { Envelope } from '../support/envelope.ts'
import { ADMIN_PASSWORD, HOUR } from '../support/site.ts'
import { undoIn, Visitor } from '../support/visitor.ts'

const PASSWORD = 'alice-Passw0rd'
const WEBDAV = 3 << 8
/** A link to a file that OpenList has signed. */
const FILE = await signedLink('/d/x')
/** A user whom nobody here is. */
const THEIRS = { password: 'theirs', base_path: '/', role: 0, permission: 0, disabled: false }

let openlist: OpenListStandIn
let site: CheapSite
let userId: number
let token: string

beforeEach(async () => {
  openlist = new OpenListStandIn()
  site = newSite()
  await site.addFirstUsers()
  userId = await site.addUser('alice', { password: PASSWORD, permission: WEBDAV })
  token = await site.token('alice', PASSWORD)
})

function newSite(bindings: Record<string, string> = {}): CheapSite {
  return new CheapSite(openlist.deps, {
    ...FILES_BINDINGS,
    ...JSON.parse(JSON.stringify(bindings)),
  })
}

const adminToken = () => site.token('admin', ADMIN_PASSWORD)
/** Clients say how long their body is. */
function post(path: string, body: object, as = ''): Promise<Envelope> {
  const headers = { 'Content-Length': String(JSON.stringify(body).length) }
  return site.post(path, body, { token: as, headers })
}

const list = (as = token) => post('/api/fs/list', { path: '/' }, as)
const asAlice = { code: 200, data: { as: 'alice' } }

async function change(fields: object): Promise<void> {
  const admin = await adminToken()
  const { data } = await site.get(`/api/admin/user/get?id=${userId}`, { token: admin })
  const body = { ...data, password: '', ...fields }
  expect(await site.post('/api/admin/user/update', body, { token: admin })).toMatchObject({
    code: 200,
  })
  await site.settle()
}

function dav(method: string, username: string, password: string, headers = {}): Promise<Response> {
  const Authorization = `Basic ${btoa(`${username}:${password}`)}`
  const call = { headers: { Authorization, ...headers } }
  return site.fetch(method, '/dav/x', method === 'LOCK' ? { ...call, body: lockInfo() } : call)
}

describe('without a file server', () => {
  test.each(['/d/x', '/dav/', '/api/fs/list', '/@login'])('%s is nobody’s', async (path) => {
    site = new CheapSite(openlist.deps)
    const response = await site.fetch('GET', path)
    expect(await response.text()).toMatch(/not found|no such endpoint/i)
    expect(openlist.sent).toEqual([])
  })
})

describe('a session', () => {
  test('acts as a user there that has the id of the user here', async () => {
    expect(await list()).toMatchObject(asAlice)
    expect(openlist.user('alice')).toMatchObject({ id: userId, permission: WEBDAV, role: 0 })
  })

  test('costs one trip to D1, and one request, once it is known there', async () => {
    await list()
    openlist.paths()
    await list()
    expect(site.meter.roundTrips).toBe(1)
    expect(openlist.paths()).toEqual(['POST /api/fs/list'])
  })

  test('that has ended is refused, and nothing is asked', async () => {
    await site.get('/api/auth/logout', { token })
    expect(await list()).toMatchObject({ code: 401 })
    expect(await list('nonsense')).toMatchObject({ code: 401 })
    expect(openlist.sent).toEqual([])
  })

  test('of an admin acts as the admin there, and shows no token', async () => {
    expect(await list(await adminToken())).toMatchObject({ data: { as: 'admin' } })
  })

  test.each(['/api/admin/storage/list', '/api/admin/setting/list'])(
    'of a user does not reach %s',
    async (path) => {
      expect(await site.get(path, { token })).toMatchObject({ code: 403 })
      expect(await site.get(path)).toMatchObject({ code: 403 })
      expect(openlist.sent).toEqual([])
    },
  )

  test('goes on when the tokens there have died', async () => {
    await list()
    openlist.restart()
    expect(await list()).toMatchObject(asAlice)
  })

  test('goes on when the password there was changed, or the user there deleted', async () => {
    await list()
    openlist.restart()
    const user = openlist.user('alice')
    if (user !== undefined) user.password = 'changed'
    expect(await list()).toMatchObject(asAlice)
    openlist.remove('alice')
    expect(await list()).toMatchObject(asAlice)
  })

  test('tries its token there before it sends a large body, also right after it worked', async () => {
    await list()
    openlist.restart()
    const body = new Uint8Array(1024 * 1024 + 1)
    const headers = { 'Content-Length': String(body.length) }
    openlist.paths()
    expect(await site.call('PUT', '/api/fs/put', { token, body, headers })).toMatchObject({
      data: { as: 'alice', body: body.length },
    })
    expect(openlist.paths()).toEqual([
      'GET /api/me',
      'POST /api/auth/login/hash',
      'PUT /api/fs/put',
    ])
  })
})

describe('a stranger', () => {
  test('is the guest there, whose row is that of the guest here', async () => {
    await site.post('/api/fs/list', { path: '/' })
    expect(openlist.user('guest')).toMatchObject({ disabled: true, role: 1 })
  })

  test('is no admin when the token there is empty', async () => {
    await site.db.update(users).set({ disabled: false }).where(eq(users.role, 1))
    openlist.token = ''
    expect(await post('/api/fs/list', { path: '/' })).toMatchObject({ code: 502 })
    expect(openlist.sent.map(({ path }) => path)).not.toContain('/api/fs/list')
    openlist.token = FILES_TOKEN
    await post('/api/fs/list', { path: '/' })
    openlist.token = ''
    openlist.paths()
    site.now += 2000
    expect(await post('/api/fs/list', { path: '/' })).toMatchObject({ code: 502 })
    expect(openlist.paths()).not.toContain('POST /api/fs/list')
  })

  test.each([
    ['the token of its admin', { Authorization: FILES_TOKEN }],
    ['the same as Bearer', { Authorization: `Bearer ${FILES_TOKEN}` }],
    ['a token of its own', { Authorization: 'jwt-1-0' }],
  ])('with %s is refused', async (_, headers) => {
    const answer = await site.call('POST', '/api/fs/list', { body: {}, headers })
    expect(answer.code).toBe(401)
  })
})

describe('an app password', () => {
  test.each([
    ['bare', (secret: string) => secret],
    ['Bearer', (secret: string) => `Bearer ${secret}`],
    ['Basic', (secret: string) => `Basic ${btoa(`alice:${secret}`)}`],
  ])('reads, %s', async (_, write) => {
    const { token: secret } = await addAppPassword(site, userId, ['files:read'])
    expect(await list(write(secret))).toMatchObject(asAlice)
  })

  test.each([
    ['files:read', '/api/fs/list', 200],
    ['files:read', '/api/fs/remove', 403],
    ['files:read', '/api/share/create', 403],
    ['files:read', '/api/task/copy/undone', 200],
    ['files:write', '/api/fs/remove', 200],
    ['account:read', '/api/fs/list', 403],
  ] as const)('with %s at %s: %i', async (scope, path, code) => {
    const { token: secret } = await addAppPassword(site, userId, [scope])
    expect(await site.post(path, {}, { token: secret })).toMatchObject({ code })
  })

  test.each([
    ['files:read', 'PROPFIND', 207],
    ['files:read', 'PUT', 401],
    ['files:write', 'PUT', 207],
    ['files:write', 'LOCK', 200],
    ['account:read', 'PROPFIND', 401],
  ] as const)('with %s for %s: %i', async (scope, method, status) => {
    const { token: secret } = await addAppPassword(site, userId, [scope])
    expect((await dav(method, 'alice', secret)).status).toBe(status)
  })

  test('of another name, or unknown, is refused at once', async () => {
    const { token: secret } = await addAppPassword(site, userId, ['files:read'])
    expect((await dav('PROPFIND', 'admin', secret)).status).toBe(401)
    expect((await dav('PROPFIND', 'alice', `${secret.slice(0, -1)}x`)).status).toBe(401)
    expect(openlist.sent).toEqual([])
  })

  test('is what WebDAV takes, and the sentence says so', async () => {
    const refused = await dav('PROPFIND', 'alice', PASSWORD)
    expect([refused.status, await refused.text()]).toEqual([
      401,
      expect.stringMatching(/app password/),
    ])
    expect(refused.headers.get('WWW-Authenticate')).toMatch(/^Basic realm=/)
    expect(site.meter.roundTrips).toBe(0)
    expect(openlist.sent).toEqual([])
  })

  test('reads what no shared cache keeps', async () => {
    const { token: secret } = await addAppPassword(site, userId, ['files:read'])
    const headers = { 'Cache-Control': 'public, max-age=99' }
    openlist.answer = ({ path }) =>
      path.startsWith('/dav') ? new Response('file', { headers }) : undefined
    const answer = await dav('GET', 'alice', secret)
    expect(answer.headers.get('Cache-Control')).toBe('private, no-cache')
  })

  test('goes on at WebDAV when the password there has drifted', async () => {
    const { token: secret } = await addAppPassword(site, userId, ['files:read'])
    await dav('PROPFIND', 'alice', secret)
    const user = openlist.user('alice')
    if (user !== undefined) user.password = 'changed'
    expect((await dav('PROPFIND', 'alice', secret)).status).toBe(207)
  })
})

describe('a lock of WebDAV', () => {
  let secret: string

  beforeEach(async () => {
    ;({ token: secret } = await addAppPassword(site, userId, ['files:write']))
  })

  test.each(['LOCK', 'UNLOCK'])('is nothing for who may only read: %s', async (method) => {
    await change({ permission: 1 << 8 })
    openlist.paths()
    expect((await dav(method, 'alice', secret)).status).toBe(403)
    expect(openlist.paths().filter((path) => path.startsWith(method))).toEqual([])
    expect((await dav('PROPFIND', 'alice', secret)).status).toBe(207)
  })

  test.each([
    ['no time', {}, 3600],
    ['no end', { Timeout: 'Infinite, Second-4100000000' }, 3600],
    ['too long', { Timeout: 'Second-86400' }, 3600],
    ['a number that is none', { Timeout: 'Second-99999999999999999999' }, 3600],
    ['no known text', { Timeout: 'Extend' }, 3600],
    ['ten minutes', { Timeout: 'Second-600' }, 600],
    ['ten minutes, or none', { Timeout: 'second-600, Infinite' }, 600],
    ['nothing', { Timeout: 'Second-0' }, 0],
  ])('of %s ends', async (_, headers, seconds) => {
    expect((await dav('LOCK', 'alice', secret, headers)).status).toBe(200)
    expect(openlist.sent.at(-1)?.headers.get('Timeout')).toBe(`Second-${seconds}`)
  })

  test('of an admin ends, too', async () => {
    const { token: own } = await addAppPassword(site, 1, ['files:write'])
    expect((await dav('LOCK', 'admin', own)).status).toBe(200)
    expect(openlist.sent.at(-1)?.headers.get('Timeout')).toBe('Second-3600')
  })

  test.each([
    [4096, 200],
    [4097, 413],
  ])('is described in %i bytes: %i', async (length, status) => {
    const headers = {
      Authorization: `Basic ${btoa(`alice:${secret}`)}`,
      'Content-Length': String(length),
    }
    const body = lockInfo('x'.repeat(length - lockInfo('').length))
    expect((await site.fetch('LOCK', '/dav/x', { body, headers })).status).toBe(status)
  })
})

const CHUNK = new Uint8Array(400 * 1024)

/** Uploads chunks without a `Content-Length`. */
async function upload(chunks: number, more: Record<string, string> = {}): Promise<Response> {
  let left = chunks
  const body = new ReadableStream<Uint8Array>({
    pull: (controller) => {
      left -= 1
      if (left < 0) controller.close()
      else controller.enqueue(CHUNK)
    },
  })
  const headers = { 'CF-Connecting-IP': '192.0.2.1', Authorization: token, ...more }
  return site.request('/api/fs/put', { method: 'PUT', headers, body })
}

describe('a user there', () => {
  test('is not one that has the name', async () => {
    openlist.users.push({
      ...THEIRS,
      id: 50,
      username: 'alice',
      role: 0,
      permission: 9,
    })
    expect(await list()).toMatchObject({ data: { as: `alice~${userId}` } })
    expect(openlist.user('alice')).toMatchObject({ id: 50, password: 'theirs', permission: 9 })
  })

  test('is not one that has the id', async () => {
    openlist.users.push({ ...THEIRS, id: userId, username: 'bob', role: 0 })
    expect(await list()).toMatchObject(asAlice)
    expect(openlist.user('bob')).toMatchObject({ id: userId, password: 'theirs' })
    expect(openlist.user('alice')?.id).not.toBe(userId)
  })

  test('is not that of an account which had the id and the name before a restore', async () => {
    await list()
    // After the restore of a database without alice, somebody else registers the name.
    await site.db.delete(fileUsers)
    await site.db
      .update(users)
      .set({ sub: 'f'.repeat(32) })
      .where(eq(users.id, userId))
    expect(await list()).toMatchObject({ data: { as: `alice~${userId}` } })
    expect(openlist.user('alice')).toMatchObject({ id: userId })
  })

  test('is not one that got the id after a restore there', async () => {
    await list()
    const restored = { ...THEIRS, id: userId, username: 'mallory' }
    openlist.users.splice(2, 1, restored)
    openlist.restart()
    expect(await list()).toMatchObject(asAlice)
    expect(openlist.user('mallory')).toEqual({ ...THEIRS, id: userId, username: 'mallory' })
  })

  test('gets the folder that is named after it, once', async () => {
    await change({ base_path: '/homes/alice' })
    await list()
    await list()
    expect(openlist.folders).toEqual(['/homes/alice'])
    await change({ base_path: '/elsewhere/alice' })
    expect(openlist.folders).toEqual(['/homes/alice', '/elsewhere/alice'])
    await change({ base_path: '/photos' })
    expect(openlist.folders).toHaveLength(2)
  })

  test.each([
    [
      'an admin there has a folder of its own',
      () => Object.assign(openlist.users[0] ?? {}, { base_path: '/x' }),
    ],
    [
      'there is no storage for it',
      () => {
        openlist.answer = ({ path }) =>
          path === '/api/fs/mkdir'
            ? Response.json({ code: 500, message: 'no', data: null })
            : undefined
      },
    ],
  ])('gets no folder, and is made, when %s', async (_, arrange) => {
    arrange()
    await change({ base_path: '/homes/alice' })
    expect(await list()).toMatchObject(asAlice)
    expect(openlist.folders).toEqual([])
  })

  test('is made once by requests at the same time', async () => {
    site = new CheapSite({ ...openlist.deps, wait: () => scheduler.wait(5) }, FILES_BINDINGS)
    const answers = await Promise.all(Array.from({ length: 5 }, () => list()))
    expect(answers.map(({ data }) => data.as)).toEqual(Array.from({ length: 5 }, () => 'alice'))
    expect(openlist.users.filter(({ role }) => role === 0)).toHaveLength(1)
  })

  test('is the one of the import', async () => {
    openlist.users.push({ ...THEIRS, id: 50, username: 'old', role: 0 })
    await insertFileUser(site.deps.db, userId, { remoteId: 50, remoteName: 'old' })
    expect(await list()).toMatchObject(asAlice)
    expect(openlist.user('alice')).toMatchObject({ id: 50 })
  })

  test('of the import is only the one that it was recorded for', async () => {
    openlist.users.push({ ...THEIRS, id: 50, username: 'somebody-else', role: 0 })
    await insertFileUser(site.deps.db, userId, { remoteId: 50, remoteName: 'old' })
    expect(await list()).toMatchObject(asAlice)
    expect(openlist.user('somebody-else')).toMatchObject({ id: 50, password: 'theirs' })
  })

  test.each([
    ['a new name', { username: 'alicia' }, { username: 'alicia' }],
    ['other rights', { permission: 1 }, { permission: 1 }],
    ['another folder', { base_path: '/a' }, { base_path: '/a' }],
    ['being disabled', { disabled: true }, { disabled: true, permission: 0 }],
  ])('follows %s before the next request', async (_, fields, expected) => {
    await list()
    await change(fields)
    expect(openlist.users.find(({ id }) => id === userId)).toMatchObject(expected)
  })

  test('is made again after the user here was deleted and brought back', async () => {
    await list()
    const admin = new Visitor(site)
    await admin.signIn('admin', ADMIN_PASSWORD)
    const id = undoIn(await admin.post(`/account/admin/users/${userId}/delete`))
    await site.settle()
    expect(openlist.user('alice')).toBeUndefined()
    expect((await list()).code).toBe(401)
    const share = { id: 's', files: ['/'], disabled: false, creator: 'alice', creator_role: 0 }
    // A visit that began before the deletion has written it back.
    openlist.shares.rows.push({ ...share, creatorId: userId })
    expect((await admin.post('/account/undo/bring-back', { id })).status).toBe(303)
    expect((await list()).code).toBe(401)
    expect(openlist.user('alice')).toBeUndefined()
    expect(await list(await site.token('alice', PASSWORD))).toMatchObject(asAlice)
    expect(openlist.user('alice')).toMatchObject({ id: userId, disabled: false })
    expect(openlist.shares.rows, 'its shares are not brought back').toEqual([])
  })

  test('is deleted after the user here', async () => {
    await list()
    await site.post(`/api/admin/user/delete?id=${userId}`, undefined, { token: await adminToken() })
    await site.settle()
    expect(openlist.user('alice')).toBeUndefined()
  })

  test.each(['disabled', 'deleted'])(
    'is %s by the run of five minutes, when it could not be reached before',
    async (how) => {
      await list()
      openlist.answer = () => Promise.reject(new TypeError('no route'))
      if (how === 'disabled') await change({ disabled: true })
      else
        await site.post(`/api/admin/user/delete?id=${userId}`, undefined, {
          token: await adminToken(),
        })
      await site.settle()
      expect(openlist.user('alice')).toMatchObject({ disabled: false })
      openlist.answer = undefined
      await runFrequently(site.deps)
      expect(openlist.user('alice')?.disabled ?? 'gone').toBe(how === 'disabled' ? true : 'gone')
    },
  )

  test('of an admin who is one no longer is an ordinary one', async () => {
    const boss = await site.addUser('boss', { password: PASSWORD, role: 2 })
    const bossToken = await site.token('boss', PASSWORD)
    expect(await list(bossToken)).toMatchObject({ data: { as: 'admin' } })
    await site.db.update(users).set({ role: 0 }).where(eq(users.id, boss))
    const again = await site.token('boss', PASSWORD)
    expect(await list(again)).toMatchObject({ data: { as: 'boss' } })
  })
})

describe('headers', () => {
  const secret = {
    Cookie: 'session=1',
    Forwarded: 'for=1',
    'X-Forwarded-For': '203.0.113.9',
    'X-Forwarded-Host': 'evil.example',
    'X-Real-IP': '203.0.113.9',
    'Proxy-Authorization': 'x',
    'CF-Ray': '1',
  }

  test('of the client pass, but not those that say who it is', async () => {
    await site.fetch('GET', FILE, {
      token,
      headers: { ...secret, Range: 'bytes=0-1', 'If-None-Match': '"y"' },
    })
    const [sent] = openlist.sent
    expect(sent?.path).toBe(FILE)
    for (const name of ['Authorization', 'Cookie', 'Forwarded', 'X-Real-IP', 'CF-Ray'])
      expect(sent?.headers.get(name), name).toBeNull()
    expect(sent?.headers.get('X-Forwarded-For')).toBe('192.0.2.1')
    expect(sent?.headers.get('X-Forwarded-Host')).toBe('localhost')
    expect(sent?.headers.get('Range')).toBe('bytes=0-1')
  })

  test('of the file server pass, but not those that act on the origin', async () => {
    openlist.answer = () =>
      new Response('x', {
        headers: {
          'Set-Cookie': 'a=b',
          'Clear-Site-Data': '"*"',
          'Service-Worker-Allowed': '/',
          'X-Accel-Redirect': '/etc/passwd',
          'Reporting-Endpoints': 'default="https://reports.example"',
          Refresh: '0; url=/account',
          Link: '</account>; rel=prefetch',
          'Content-Security-Policy': "script-src 'unsafe-inline'",
          ETag: '"x"',
          'Content-Type': 'text/html',
        },
      })
    const { headers } = await site.fetch('GET', FILE)
    const passed = ['content-type', 'etag']
    const own = await site.fetch('GET', '/d/unknown', { headers: { 'Service-Worker': 'script' } })
    const ours = Array.from(own.headers.keys())
    expect(Array.from(headers.keys()).filter((name) => !ours.includes(name))).toEqual(
      passed.filter((name) => !ours.includes(name)),
    )
    expect(headers.get('Content-Security-Policy')).toBe('sandbox')
    expect(headers.get('X-Content-Type-Options')).toBe('nosniff')
    expect(headers.get('ETag')).toBe('"x"')
  })

  test.each([
    ['application/pdf', null],
    ['application/pdf; charset=utf-8', 'sandbox'],
    ['text/html', 'sandbox'],
    ['image/svg+xml', 'sandbox'],
  ])('of a file of the type %s: %s', async (type, policy) => {
    openlist.answer = () => new Response('x', { headers: { 'Content-Type': type } })
    const { headers } = await site.fetch('GET', await signedLink('/p/x'))
    expect(headers.get('Content-Security-Policy')).toBe(policy)
  })

  test.each([
    ['application/xml;charset=utf-8', 'sandbox'],
    ['application/xhtml+xml', 'sandbox'],
    ['text/css', null],
  ])('of what the web client loads of the type %s: %s', async (type, policy) => {
    openlist.answer = () => new Response('x', { headers: { 'Content-Type': type } })
    const { headers } = await site.fetch('GET', '/i/x.plist')
    expect(headers.get('Content-Security-Policy')).toBe(policy)
  })

  test('of the web client allow its own scripts only, each time by another nonce', async () => {
    const pages = [await site.fetch('GET', '/'), await site.fetch('GET', '/x')]
    const nonces = await Promise.all(
      pages.map(async (page) => {
        const [, nonce = ''] =
          /script-src 'nonce-([\w-]{22})'/.exec(
            page.headers.get('Content-Security-Policy') ?? '',
          ) ?? []
        const scripts = (await page.text()).match(/<script.*?>/g) ?? []
        expect(scripts).toEqual([
          `<script nonce="${nonce}" data-account="/account">`,
          `<script nonce="${nonce}">`,
        ])
        expect(page.headers.get('Cache-Control')).toBe('no-store')
        expect(page.headers.get('ETag')).toBeNull()
        return nonce
      }),
    )
    expect(new Set(nonces).size).toBe(2)
  })

  test.each([
    ['/', "'none'"],
    ['/@manage/users', "'none'"],
    ['/static/../@manage', "'none'"],
    ['/static/x', "'none'"],
    ['/streamer/mitm.html', "'self'"],
    ['/static/epub.js/viewer.html', "'self'"],
  ])('of the web client are framed by nobody, but for its viewers: %s', async (path, framedBy) => {
    const { headers } = await site.fetch('GET', path)
    expect(headers.get('Content-Security-Policy')).toContain(`frame-ancestors ${framedBy}`)
  })

  test('of the web client keep pages that open it from its window', async () => {
    for (const path of ['/', '/@manage', '/@login']) {
      const { headers } = await site.fetch('GET', path)
      expect(headers.get('Cross-Origin-Opener-Policy')).toBe('same-origin-allow-popups')
    }
  })

  test('of account pages name their scripts, because a file may be one', async () => {
    const { headers } = await site.fetch('GET', '/account/sign-in')
    expect(headers.get('Content-Security-Policy')).toMatch(
      /script-src http:\/\/localhost\/script-\w+\.js http:\/\/localhost\/passkeys-\w+\.js;/,
    )
  })

  test('of a file that is asked for as a service worker: 403', async () => {
    const headers = { 'Service-Worker': 'script' }
    expect((await site.fetch('GET', '/d/x.js', { headers })).status).toBe(403)
    expect(openlist.sent).toEqual([])
  })

  test.each([
    ['/dav/y', '/dav/y', 207],
    ['http://localhost/dav/y', '/dav/y', 207],
    ['https://localhost/dav/y', '/dav/y', 207],
    ['https://other.example.org/dav/y', undefined, 502],
    ['/dav/%E4%B8%AD%20y/../z', '/dav/z', 207],
    // OpenList reads a host after two slashes: its own, which a caller may guess.
    ['//files.example.org:5244/dav/y', undefined, 502],
    ['http://localhost//files.example.org:5244/dav/y', undefined, 502],
  ])('Destination: %s', async (destination, passed, status) => {
    const { token: password } = await addAppPassword(site, userId, ['files:write'])
    const answer = await dav('MOVE', 'alice', password, { Destination: destination })
    expect(answer.status).toBe(status)
    const moved = openlist.sent.find(({ method }) => method === 'MOVE')
    expect(moved?.headers.get('Destination')).toBe(passed)
  })
})

describe('a link to a file', () => {
  const LAST_SECOND = 1_795_851_451
  test.each([
    // Made by OpenList 4.2.6 with this token.
    ['/p/a%20b/%C3%A4%23%3F%25+&%3B.txt?sign=wp0AnXdkU694TilqIO0cE-vwjU23hdLHuCZQz1eEWjI=:0', 200],
    ['/d/a%20b/%C3%A4%23%3F%25+&%3B.txt?sign=wp0AnXdkU694TilqIO0cE-vwjU23hdLHuCZQz1eEWjI=:0/', 200],
    [
      '/d//a%20b%5c.%2f%C3%A4%23%3F%25+&%3B.txt/?sign=wp0AnXdkU694TilqIO0cE-vwjU23hdLHuCZQz1eEWjI%3D%3A0',
      200,
    ],
    ['/ae/z.zip?inner=in.txt&sign=WkoStaJNOIH_2jqoWf2to15h2N8Ry_PC2cUHfD2cK-4=:0', 200],
    ['/d/z.zip?sign=WkoStaJNOIH_2jqoWf2to15h2N8Ry_PC2cUHfD2cK-4=:0', 401],
    ['/p/x.txt?sign=o1ccTzJGzDjDlGlAlyQ_tRqaNtUqidZ8JfhH8pNadOA=:1795851451', 200],
    ['/p/x.txt?sign=o1ccTzJGzDjDlGlAlyQ_tRqaNtUqidZ8JfhH8pNadOA=:0', 401],
    ['/p/x.txt?sign=o1ccTzJGzDjDlGlAlyQ_tRqaNtUqidZ8JfhH8pNadOA=:01795851451', 401],
    ['/p/x.txt?sign=x&sign=o1ccTzJGzDjDlGlAlyQ_tRqaNtUqidZ8JfhH8pNadOA=:1795851451', 401],
    ['/p/y/..%2fx.txt?sign=o1ccTzJGzDjDlGlAlyQ_tRqaNtUqidZ8JfhH8pNadOA=:1795851451', 200],
    ['/p/x.txt%2f..%2fy?sign=o1ccTzJGzDjDlGlAlyQ_tRqaNtUqidZ8JfhH8pNadOA=:1795851451', 401],
    ['/d/x', 401],
    ['/p/x?sign=', 401],
    ['/ad/x?sign=:0', 401],
    ['/ap/x', 401],
    ['/ae/x', 401],
    ['/d', 401],
    // A share has a password of its own.
    ['/sd/abc', 200],
    ['/sad/abc/x.zip', 200],
  ])('is passed on with a valid signature only: %s', async (path, status) => {
    site.now = (LAST_SECOND + 0.9) * 1000
    for (const method of ['GET', 'HEAD'])
      expect((await site.fetch(method, path)).status).toBe(status)
    expect(openlist.sent).toHaveLength(status === 200 ? 2 : 0)
  })

  test('ends when its signature says so', async () => {
    const end = Math.floor(site.now / 1000) + 60
    const link = await signedLink('/d/x', end)
    expect((await site.fetch('GET', link)).status).toBe(200)
    site.now = (end + 1) * 1000
    const refused = await site.fetch('GET', link, { headers: { Accept: 'text/html' } })
    expect([refused.status, await refused.text()]).toEqual([
      401,
      expect.stringContaining('This link has expired, or its signature is missing or wrong.'),
    ])
  })

  test.each([
    ['type=thumb', 200],
    ['type=', 200],
    ['type=closed%2Fsecret.txt%2F', 400],
    ['type=thumb&t%79pe=closed/secret.txt', 400],
    ['type=..', 400],
    ['type=a%5cb', 400],
  ])('asks for a kind of the file by a word: %s', async (type, status) => {
    openlist.files['/x'] = ''
    openlist.paths()
    const sharedFile = await site.fetch('GET', `/sd/share/x?${type}`)
    expect((await site.fetch('GET', `${FILE}&${type}`)).status).toBe(status)
    expect(sharedFile.status === 400).toBe(status === 400)
    expect(openlist.paths().some((path) => path.includes('%2F'))).toBe(false)
  })

  test('that another token has signed is refused', async () => {
    expect((await site.fetch('GET', await signedLink('/d/x', 0, 'other'))).status).toBe(401)
  })

  test('needs no signature where the operator wants it so', async () => {
    site = newSite({ FILES_OPEN_LINKS: 'on' })
    expect((await site.fetch('GET', '/d/x')).status).toBe(200)
  })
})

describe('paths and methods', () => {
  test.each([
    ['GET', '/s3/x', 404],
    ['GET', '/mcp', 404],
    ['GET', '/debug/pprof/', 404],
    ['DELETE', '/d/x', 405],
    ['PROPFIND', '/d/x', 405],
    ['PATCH', '/dav/x', 405],
    ['GET', '/d/..%2fapi/auth/login', 400],
  ])('%s %s: %i', async (method, path, status) => {
    expect((await site.fetch(method, path)).status).toBe(status)
    expect(openlist.sent).toEqual([])
  })

  test('an unknown path of the interface is not the page of the web client', async () => {
    expect(await site.get('/api/none')).toMatchObject({ code: 404 })
  })

  // Clients such as that of Java offer HTTP/2 with their first request.
  test.each(['h2c', 'websocket'])(
    'an upgrade to %s is not taken, and not passed on',
    async (to) => {
      const headers = { Connection: 'Upgrade', Upgrade: to }
      expect((await site.fetch('GET', FILE, { headers })).status).toBe(200)
      expect(openlist.sent.map((sent) => sent.headers.get('Upgrade'))).toEqual([null])
    },
  )

  test('a preflight is answered here', async () => {
    const headers = { Origin: 'https://a.example', 'Access-Control-Request-Method': 'PUT' }
    const asked = { ...headers, 'Access-Control-Request-Headers': 'authorization, file-path' }
    const answer = await site.fetch('OPTIONS', '/api/fs/put', { headers: asked })
    expect(answer.headers.get('Access-Control-Allow-Headers')).toBe('authorization, file-path')
    expect(openlist.sent).toEqual([])
  })

  test('with FILES_HOST, files are at that host only, and account pages at the other', async () => {
    site = newSite({ FILES_HOST: 'files.example.org' })
    const at = (host: string, path: string) =>
      site.request(`http://${host}${path}`, { headers: { 'CF-Connecting-IP': '192.0.2.1' } })
    expect((await at('files.example.org', FILE)).status).toBe(200)
    expect((await at('files.example.org', '/account/sign-in')).status).toBe(404)
    expect((await at('localhost', '/account/sign-in')).status).toBe(200)
    expect((await at('localhost', '/d/x')).status).toBe(404)
    for (const host of ['files.example.org.', 'files.example.org:8080'])
      expect((await at(host, '/account/sign-in')).status).toBe(404)
    expect(openlist.sent).toHaveLength(1)
  })

  test('with FILES_HOST, a change at the other host is written right after', async () => {
    site = newSite({ FILES_HOST: 'localhost' })
    await list()
    const admin = await adminToken()
    await site.request(`http://accounts.example.org/api/admin/user/delete?id=${userId}`, {
      method: 'POST',
      headers: { 'CF-Connecting-IP': '192.0.2.1', Authorization: admin },
    })
    await site.settle()
    expect(openlist.user('alice')).toBeUndefined()
  })
})

const settings = () => site.get('/api/public/settings')

describe('settings', () => {
  test('are those of OpenList, with the ways of signing in here', async () => {
    openlist.settings['sso_login_enabled'] = 'true'
    openlist.settings['ldap_login_enabled'] = 'true'
    openlist.settings['allow_register'] = 'true'
    const { data } = await settings()
    expect(data).not.toHaveProperty('allow_register')
    expect(data).toMatchObject({
      version: 'v4.2.5',
      sso_login_enabled: 'false',
      ldap_login_enabled: 'false',
    })
  })

  test('are the last ones while OpenList is away, and then those here', async () => {
    openlist.settings['site_title'] = 'Theirs'
    await settings()
    openlist.answer = () => Promise.reject(new TypeError('no route'))
    site.now += HOUR
    expect((await settings()).data.site_title).toBe('Theirs')
    site = newSite()
    expect(await settings()).toMatchObject({ code: 200, data: { site_title: expect.any(String) } })
  })

  test('are the last ones at once while OpenList hangs, but for one who asks it', async () => {
    openlist.settings['site_title'] = 'Theirs'
    await settings()
    const asked: (number | undefined)[] = []
    const { setTimeout } = globalThis
    const spy = vi.spyOn(globalThis, 'setTimeout')
    spy.mockImplementation((callback, milliseconds) => {
      asked.push(milliseconds)
      return setTimeout(callback, milliseconds === 3000 ? 1 : milliseconds)
    })
    onTestFinished(() => spy.mockRestore())
    openlist.answer = () => new Promise(() => undefined)
    site.now += HOUR
    const [first, second] = await Promise.all([settings(), settings()])
    expect([first.data.site_title, second.data.site_title]).toEqual(['Theirs', 'Theirs'])
    expect(asked.filter((milliseconds) => milliseconds === 3000)).toHaveLength(1)
  })

  test.each(['list', 'get?key=token', 'get?keys=token', 'list?group=1'])(
    'never show the token: %s',
    async (path) => {
      const answer = await site.get(`/api/admin/setting/${path}`, { token: await adminToken() })
      expect(answer.code).toBe(200)
      expect(JSON.stringify(answer)).not.toContain(FILES_TOKEN)
    },
  )

  test('are saved where they belong, and the token is not', async () => {
    const items = [
      { key: 'site_title', value: 'Ours' },
      { key: 'announcement', value: 'Closed on Monday' },
      { key: 'token', value: '' },
      { key: 'webauthn_login_enabled', value: 'true' },
      // OpenList reads JSON without regard to case.
      { key: 'index_progress', value: 'x', KEY: 'token', VALUE: '' },
    ]
    const admin = await adminToken()
    expect(await post('/api/admin/setting/save', items, admin)).toMatchObject({
      code: 200,
    })
    expect(openlist.settings).toMatchObject({ site_title: 'Ours', index_progress: 'x' })
    expect(openlist.settings['token']).toBeUndefined()
    expect(openlist.sent.map(({ body }) => body).join('')).not.toMatch(/tok[eé]n/i)
    expect(openlist.settings['webauthn_login_enabled']).toBeUndefined()
    expect((await settings()).data).toMatchObject({
      site_title: 'Ours',
      webauthn_login_enabled: 'true',
    })
    const page = await (await site.fetch('GET', '/account/sign-in')).text()
    expect([page, page]).toEqual([
      expect.stringContaining('Ours'),
      expect.stringContaining('Closed on Monday'),
    ])
  })

  test.each([
    'made_up',
    'site_title ',
    ' site_title',
    'Site_Title',
    // A database there may take these for the token.
    'TOKEN',
    'token ',
    'tokén',
    '',
  ])('that neither has are refused by name, and nothing is saved: "%s"', async (key) => {
    const items = [
      { key: 'site_title', value: 'Theirs' },
      { key: 'webauthn_login_enabled', value: 'true' },
      { key, value: '' },
    ]
    expect(await post('/api/admin/setting/save', items, await adminToken())).toEqual({
      code: 400,
      message: `"${key}" is not a setting`,
      data: null,
    })
    expect(openlist.sent.some(({ path }) => path === '/api/admin/setting/save')).toBe(false)
    expect((await settings()).data).not.toHaveProperty('webauthn_login_enabled', 'true')
  })

  test('that are too long for any setting are refused by their beginning', async () => {
    const items = [{ key: 'x'.repeat(100_000), value: '' }]
    expect(await post('/api/admin/setting/save', items, await adminToken())).toMatchObject({
      code: 400,
      message: `"${'x'.repeat(64)}" is not a setting`,
    })
  })

  test('are sent with what OpenList has of them, so that a secret stays one', async () => {
    openlist.settings['aria2_secret'] = ''
    openlist.settings['ldap_server'] = 'theirs'
    const items = ['aria2_secret', 's3_secret_access_key', 'ldap_server'].map((key) => ({
      key,
      value: 'x',
    }))
    await post('/api/admin/setting/save', items, await adminToken())
    const sent = openlist.sent.find(({ path }) => path === '/api/admin/setting/save')
    expect(JSON.parse(sent?.body ?? '')).toEqual([
      { key: 'aria2_secret', value: 'x', group: 1, type: 'string', help: '', flag: 1 },
      { key: 's3_secret_access_key', value: 'x', group: 0, type: 'string', flag: 1 },
    ])
  })

  test.each([
    ['another script in the pages', 'setting/save', [{ key: 'customize_head', value: '<script>' }]],
    ['links that never end', 'setting/save', [{ key: 'link_expiration', value: '0' }]],
    ['a title, which is raw in its pages', 'setting/save', [{ key: 'site_title', value: '<' }]],
    ['a picture, which is too', 'setting/save', [{ key: 'favicon', value: 'https://x.example/"' }]],
    ['another storage', 'storage/create', { driver: 'Local' }],
  ])('in a session that is not fresh: %s is refused', async (_, path, body) => {
    Object.assign(openlist.settings, { link_expiration: '9', favicon: '' })
    const admin = await adminToken()
    site.now += HOUR
    const answer = await post(`/api/admin/${path}`, body, admin)
    expect(answer).toMatchObject({ code: 403, message: 'Sign in again or confirm to do this' })
    expect(openlist.settings).toMatchObject({ link_expiration: '9' })
    const same = [
      { key: 'link_expiration', value: '9' },
      { key: 'index_progress', value: 'x' },
    ]
    expect(await post('/api/admin/setting/save', same, admin)).toMatchObject({ code: 200 })
    expect(await post(`/api/admin/${path}`, body, await adminToken())).toMatchObject({ code: 200 })
  })

  test('are not asked for in a way that shows those of OpenList', async () => {
    expect(await post('/api/public/settings', {})).toMatchObject({ code: 403 })
    expect(openlist.sent).toEqual([])
  })

  test('are saved by a client that does not say how long its body is', async () => {
    const items = [{ key: 'index_progress', value: 'y' }]
    const admin = await adminToken()
    expect(await site.post('/api/admin/setting/save', items, { token: admin })).toMatchObject({
      code: 200,
    })
    expect(openlist.settings).toMatchObject({ index_progress: 'y' })
    const long = [{ key: 'index_progress', value: 'y'.repeat(1024 * 1024) }]
    expect(await site.post('/api/admin/setting/save', long, { token: admin })).toMatchObject({
      code: 413,
    })
  })

  test.each([
    ['goes away', () => Promise.reject(new TypeError('no route')), 503],
    ['refuses them', () => Response.json({ code: 400, message: 'no', data: null }), 400],
  ])('are saved nowhere when OpenList %s in between', async (_, answer, code) => {
    openlist.answer = ({ path }) => (path === '/api/admin/setting/save' ? answer() : undefined)
    const items = [
      { key: 'site_title', value: 'Ours' },
      { key: 'webauthn_login_enabled', value: 'true' },
      { key: 'home_icon', value: 'x' },
    ]
    const before = (await settings()).data
    expect(await post('/api/admin/setting/save', items, await adminToken())).toMatchObject({ code })
    expect((await settings()).data).toEqual(before)
    expect(await (await site.fetch('GET', '/account/sign-in')).text()).not.toContain('Ours')
  })

  test.each([
    'reset_token',
    'delete?key=token',
    'delete?key=TOKEN',
    'delete?key=webauthn_login_enabled',
  ])('are not for OpenList to end: %s', async (path) => {
    const admin = await adminToken()
    const call = { token: admin }
    const refused = await site.post(`/api/admin/setting/${path}`, undefined, call)
    expect(refused).toMatchObject({ code: 403 })
    expect(openlist.sent.filter(({ method }) => method === 'POST')).toEqual([])
  })
})

test('metas name users by their ids there, and show those here', async () => {
  openlist.users.push({ ...THEIRS, id: userId, username: 'bob', role: 0 })
  const admin = await adminToken()
  const body = { path: '/', Read_Users: [userId], read_users: [userId], write_users: [] }
  expect(await post('/api/admin/meta/create', body, admin)).toMatchObject({
    code: 200,
  })
  const there = openlist.user('alice')?.id
  expect(there).not.toBe(userId)
  expect(openlist.metas.rows).toMatchObject([
    { id: 1, path: '/', read_users: [there], write_users: [] },
  ])
  const { data } = await site.get('/api/admin/meta/list', { token: admin })
  expect(data.content).toMatchObject([{ path: '/', read_users: [userId], write_users: [] }])
})

test('metas are translated in a few round trips, however many users they name', async () => {
  const admin = await adminToken()
  await list()
  const strangers = Array.from({ length: 300 }, (_, place) => 10_000 + place)
  const named = [1, userId, ...strangers]
  const body = { path: '/a', read_users: named, write_users: named }
  expect(await post('/api/admin/meta/create', body, admin)).toMatchObject({ code: 200 })
  expect(site.meter.roundTrips).toBeLessThan(6)
  for (const path of ['/b', '/c']) await post('/api/admin/meta/create', { ...body, path }, admin)
  const { data } = await site.get('/api/admin/meta/list', { token: admin })
  expect(data.content).toHaveLength(3)
  expect(data.content[0].read_users).toEqual(expect.arrayContaining([userId, ...strangers]))
  expect(site.meter.roundTrips).toBeLessThan(6)
})

describe('when OpenList', () => {
  const failures: [string, () => Response | Promise<Response>, number][] = [
    ['is away', () => Promise.reject(new TypeError(`connect ${FILES_ORIGIN}`)), 503],
    ['answers garbage', () => new Response('garbage', { status: 200 }), 502],
    ['panics', () => new Response('', { status: 500 }), 502],
  ]

  test.each(failures)(
    '%s, files are refused in words, and accounts go on',
    async (_, answer, code) => {
      openlist.answer = answer
      const refused = await list()
      expect(refused).toMatchObject({ code })
      expect(JSON.stringify(refused)).not.toMatch(/files\.example\.org|openlist-/)
      expect(await site.get('/api/me', { token })).toMatchObject({ code: 200 })
      openlist.answer = undefined
      expect(await list()).toMatchObject(asAlice)
    },
  )

  test('is away, a browser gets a page in its language, and other programs a sentence', async () => {
    openlist.answer = () => Promise.reject(new TypeError('no route'))
    const page = await site.fetch('GET', '/', { headers: { Accept: 'text/html,*/*' } })
    expect([page.status, page.headers.get('Retry-After')]).toEqual([503, '5'])
    expect(await page.text()).toMatch(/<h1>The file server does not answer.*href="\/account"/s)
    const headers = { Accept: 'text/html', 'Accept-Language': 'zh-CN,en;q=0.5' }
    expect(await (await site.fetch('GET', '/', { headers })).text()).toMatch(
      /<html lang="zh-Hans">.*<h1>文件服务器没有响应，请重试。/s,
    )
    const text = await site.fetch('GET', FILE)
    expect([text.status, await text.text()]).toEqual([
      503,
      'the file server does not answer, try again\n',
    ])
  })

  test('is not fully set up, its part says so, and accounts go on', async () => {
    site = newSite({ FILES_TOKEN: '' })
    expect(await list()).toMatchObject({ code: 503, message: expect.stringMatching(/set up/) })
    expect(await site.get('/api/me', { token })).toMatchObject({ code: 200 })
    expect(openlist.sent).toEqual([])
  })

  test('has another token, admins get 502, and users go on', async () => {
    await list()
    openlist.token = 'another'
    expect(await list(await adminToken())).toMatchObject({ code: 502 })
    expect(await list()).toMatchObject(asAlice)
  })
})

/** Sends a request whose body ends only after something has happened. */
async function during(
  path: string,
  authorization: string,
  happens: () => Promise<unknown>,
  method = 'POST',
): Promise<Response> {
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(new TextEncoder().encode('{')),
    pull: async (controller) => {
      await happens()
      controller.enqueue(new TextEncoder().encode('"path":"/x"}'))
      controller.close()
    },
  })
  const headers = { 'CF-Connecting-IP': '192.0.2.1', Authorization: authorization }
  return site.request(path, { method, headers, body })
}

const isSent = (path: string) => openlist.sent.some((sent) => sent.path === path)

describe('a body that takes its time', () => {
  test.each(['/api/admin/storage/create', '/api/admin/meta/create', '/api/fs/mkdir'])(
    'is not sent for an admin who is none any more: %s',
    async (path) => {
      const id = await site.addUser('root', { password: PASSWORD, role: 2 })
      const root = await site.token('root', PASSWORD)
      const answer = await during(path, root, async () => {
        await site.post(`/api/admin/user/delete?id=${id}`, undefined, { token: await adminToken() })
      })
      expect(await answer.json()).toMatchObject({ code: 401 })
      expect(isSent(path)).toBe(false)
    },
  )

  test.each(['/api/fs/put', '/dav/x'])('is no upload of who is deleted: %s', async (path) => {
    const { token: secret } = await addAppPassword(site, userId, ['files:write'])
    const authorization = path.startsWith('/dav') ? `Basic ${btoa(`alice:${secret}`)}` : token
    await list()
    const deleteAlice = async () =>
      site.post(`/api/admin/user/delete?id=${userId}`, undefined, { token: await adminToken() })
    await during(path, authorization, deleteAlice, 'PUT')
    expect(isSent(path)).toBe(false)
  })

  test('of an unknown length comes whole, a long one too', async () => {
    const answer = await upload(5)
    expect(await answer.json()).toMatchObject({ data: { body: 5 * CHUNK.length } })
  })

  test.each([
    [5, 200],
    [6, 503],
    [4, 503],
  ])('of five chunks, of which macOS tells %i: %i', async (told, code) => {
    const answer = await upload(5, { 'X-Expected-Entity-Length': String(told * CHUNK.length) })
    expect(await answer.json()).toMatchObject({ code })
  })

  test.each([
    ['a stranger', 64 * 1024, 200],
    ['a stranger', 64 * 1024 + 1, 413],
    ['a user', 64 * 1024 + 1, 200],
    ['a user', 1024 * 1024 + 1, 413],
    ['a share', 64 * 1024, 200],
    ['a share', 64 * 1024 + 1, 413],
  ])('of %s, of %i bytes: %i', async (who, length, code) => {
    await site.db.update(users).set({ disabled: false }).where(eq(users.role, 1))
    const isShare = who === 'a share'
    // A share is looked at, so it must be one.
    const [start = '', end = ''] = isShare ? ['{"files":["/x"],"remark":"', '"}'] : []
    const body = start + 'x'.repeat(length - start.length - end.length) + end
    const Authorization = who === 'a stranger' ? '' : token
    const path = isShare ? '/api/share/create' : '/api/fs/list'
    const told = { 'Content-Length': String(length) }
    for (const headers of [told, {}]) {
      const all = { 'CF-Connecting-IP': '192.0.2.1', Authorization, ...headers }
      const init = { method: 'POST', headers: all, body: new Blob([body]).stream() }
      expect(await (await site.request(path, init)).json()).toMatchObject({ code })
    }
  })

  test.each([{}, { 'Content-Length': String(3 * 1024 * 1024) }])(
    'is read to its end before it is refused: %j',
    async (headers) => {
      let left = 3
      const pull = (controller: ReadableStreamDefaultController) => {
        if (left === 0) return controller.close()
        left -= 1
        controller.enqueue(new Uint8Array(1024 * 1024))
      }
      const body = new ReadableStream({ pull }, { highWaterMark: 0 })
      const all = { 'CF-Connecting-IP': '192.0.2.1', Authorization: token, ...headers }
      const answer = await site.request('/api/fs/list', { method: 'POST', headers: all, body })
      expect([(await answer.json<Envelope>()).code, left]).toEqual([413, 0])
    },
  )

  test.each(['/api/fs/list', '/api/fs/put', '/api/admin/setting/save', '/dav/x'])(
    'is not read of a token that is none: %s',
    async (path) => {
      let reads = 0
      const body = new ReadableStream({ pull: () => void (reads += 1) }, { highWaterMark: 0 })
      const method = path === '/api/fs/list' ? 'POST' : 'PUT'
      const Authorization = path === '/dav/x' ? `Basic ${btoa('alice:lk_x')}` : `${token}x`
      const headers = { 'CF-Connecting-IP': '192.0.2.1', Authorization }
      const answer = await site.request(path, { method, headers, body })
      expect([
        path === '/dav/x' ? answer.status : (await answer.json<Envelope>()).code,
        reads,
      ]).toEqual([401, 0])
    },
  )

  test.each(['/api/admin/setting/save', '/api/admin/storage/create'])(
    'is not read of a stranger who asks as an admin: %s',
    async (path) => {
      let reads = 0
      const body = new ReadableStream({ pull: () => void (reads += 1) }, { highWaterMark: 0 })
      const headers = { 'CF-Connecting-IP': '192.0.2.1' }
      const answer = await site.request(path, { method: 'POST', headers, body })
      expect([(await answer.json<Envelope>()).code, reads]).toEqual([403, 0])
    },
  )

  test('saves no settings of an admin who is none any more', async () => {
    const id = await site.addUser('root', { password: PASSWORD, role: 2 })
    const root = await site.token('root', PASSWORD)
    const answer = await during('/api/admin/setting/save', root, async () => {
      await site.post(`/api/admin/user/delete?id=${id}`, undefined, { token: await adminToken() })
    })
    expect((await answer.json<Envelope>()).code).not.toBe(200)
    expect(openlist.sent).toEqual([])
  })

  test('is not sent for a user whose sessions were ended', async () => {
    const answer = await during('/api/fs/list', token, () => change({ password: 'new-Passw0rd' }))
    expect(await answer.json()).toMatchObject({ code: 401 })
    expect(isSent('/api/fs/list')).toBe(false)
  })

  test('is not sent with an app password that was deleted', async () => {
    const { token: secret } = await addAppPassword(site, userId, ['files:read'])
    const basic = `Basic ${btoa(`alice:${secret}`)}`
    const deleteIt = () => site.db.delete(appPasswords)
    const answer = await during('/dav/', basic, deleteIt, 'PROPFIND')
    expect(answer.status).toBe(401)
    expect(isSent('/dav/')).toBe(false)
  })

  test('is refused when it is large, and no upload', async () => {
    const large = 'x'.repeat(1024 * 1024 + 1)
    expect(await site.post('/api/fs/mkdir', { path: large }, { token })).toMatchObject({
      code: 413,
    })
    const answer = await site.fetch('PUT', '/api/fs/put', { token, body: large })
    expect(await answer.json()).toMatchObject(asAlice)
  })
})
