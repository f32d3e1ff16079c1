import { eq } from 'drizzle-orm'
import { beforeEach, describe, expect, test } from 'vitest'
import { fileLeases, fileUsers, users } from '../../schema/tables.ts'
import { runFrequently } from '../../src/app/frequent-run.ts'
import { runNightly } from '../../src/app/nightly-run.ts'
import { CheapSite } from '../support/cheap-site.ts'
import { HeldWaits } from '../support/held-waits.ts'
import {
  FILES_BINDINGS,
  FILES_ORIGIN,
  OpenListStandIn,
  type Sent,
} from '../support/openlist-stand-in.ts'
import { SECRET_KEYS } from '../support/secrets.ts'
import { ADMIN_PASSWORD, HOUR, MINUTE, SECOND } from '../support/site.ts'
import { watchedD1 } from '../support/watched-d1.ts'
import { staticDigest } from '../../src/core/passwords/passwords.ts'

const PASSWORD = 'alice-Passw0rd'
const SHARE = 1 << 14

let openlist: OpenListStandIn
let site: CheapSite
let userId: number
let token: string
let admin: string
/** Resolves when a write waits for another one. */
let waiting: PromiseWithResolvers<void>

beforeEach(async () => {
  openlist = new OpenListStandIn()
  const wait = async () => {
    waiting.resolve()
    await scheduler.wait(1)
  }
  waiting = Promise.withResolvers()
  site = new CheapSite({ ...openlist.deps, wait }, FILES_BINDINGS)
  await site.addFirstUsers()
  userId = await site.addUser('alice', { password: PASSWORD, permission: SHARE })
  token = await site.token('alice', PASSWORD)
  admin = await site.token('admin', ADMIN_PASSWORD)
})

const list = () => site.post('/api/fs/list', { path: '/' }, { token })

/** Changes alice. The write to the file server follows the answer, and is not awaited. */
async function change(fields: object): Promise<void> {
  const { data } = await site.get(`/api/admin/user/get?id=${userId}`, { token: admin })
  const body = { ...data, password: '', ...fields }
  expect(await site.post('/api/admin/user/update', body, { token: admin })).toMatchObject({
    code: 200,
  })
}

/**
 * Holds the first such call before the file server works on it, until `release`; `overtaken`
 * resolves when another one was answered.
 */
function hold(path: string) {
  const held = Promise.withResolvers<void>()
  const arrived = Promise.withResolvers<Sent>()
  const overtaken = Promise.withResolvers<void>()
  let isFirst = true
  openlist.answer = (sent) => {
    if (sent.path !== path) return undefined
    if (!isFirst) {
      setTimeout(overtaken.resolve)
      return undefined
    }
    isFirst = false
    arrived.resolve(sent)
    return held.promise.then(() => openlist.send(`${FILES_ORIGIN}${path}`, again(sent)))
  }
  return {
    arrived: arrived.promise,
    overtaken: overtaken.promise,
    release: () => held.resolve(),
  }
}

function again({ method, headers, body }: Sent): RequestInit {
  return { method, headers, body }
}

describe('two writes of one user', () => {
  test.each([
    ['an earlier change does not end after being disabled', { permission: 1 }, { disabled: true }],
    ['an earlier change does not end after a later one', { permission: 65_533 }, { permission: 0 }],
  ])('%s', async (_, first, last) => {
    await list()
    const { arrived, overtaken, release } = hold('/api/admin/user/update')
    await change(first)
    await arrived
    await change(last)
    const asked = list()
    await Promise.race([waiting.promise, overtaken])
    release()
    await Promise.all([asked, site.settle()])
    await runFrequently(site.deps)
    expect(openlist.user('alice')).toMatchObject(last)
  })

  test('of which the second takes back the first: the next request waits for both', async () => {
    await list()
    const before = { ...openlist.user('alice') }
    const { arrived, release } = hold('/api/admin/user/update')
    await change({ permission: 0xffff })
    await arrived
    await change({ permission: before.permission })
    const asked = list()
    await Promise.race([waiting.promise, asked])
    const sent = openlist.paths().filter((path) => path === 'POST /api/fs/list').length
    release()
    expect(await asked).toMatchObject({ code: 200 })
    await site.settle()
    expect(sent, 'only the first one').toBe(1)
    expect(openlist.user('alice')).toMatchObject({ permission: before.permission })
  })

  test('that rename the user make no second one', async () => {
    await list()
    const { arrived, release } = hold('/api/admin/user/update')
    await change({ username: 'xa' })
    await arrived
    await change({ username: 'xb' })
    const asked = list()
    await Promise.race([waiting.promise, asked])
    release()
    await Promise.all([asked, site.settle()])
    await change({ permission: 1 })
    await site.settle()
    const general = openlist.users.filter(({ role }) => role === 0)
    expect(general).toMatchObject([{ id: userId, username: 'xb' }])
  })

  test('of which one ends without an answer: the other goes on when the lease has ended', async () => {
    const ended = { userId, holder: 'gone', endsAt: site.now }
    await site.db.insert(fileLeases).values(ended)
    expect(await list()).toMatchObject({ code: 200 })
    expect(await site.db.select().from(fileLeases), 'it may come late').toEqual([ended])
    await runNightly(site.deps)
    expect(await site.db.select().from(fileLeases)).toEqual([ended])
    site.now += HOUR
    await runNightly(site.deps)
    expect(await site.db.select().from(fileLeases)).toEqual([])
  })

  test.each([
    ['a proxy between has given up goes on', 504, 1],
    ['the file server has failed is over', 500, 0],
  ])('of which %s', async (_, status, leases) => {
    await list()
    openlist.answer = ({ path }) =>
      path === '/api/admin/user/update' ? new Response('<html>', { status }) : undefined
    await change({ permission: 1 })
    await site.settle()
    expect(await site.db.select().from(fileLeases)).toHaveLength(leases)
  })

  test('of which one goes on for too long: the other says so', async () => {
    await site.db.insert(fileLeases).values({ userId, holder: 'other', endsAt: site.now + 60_000 })
    expect(await list()).toMatchObject({ code: 503 })
    expect(openlist.users).toHaveLength(2)
  })
})

test('a user who is deleted while being made there is deleted there', async () => {
  const { arrived, release } = hold('/api/admin/user/create')
  const asked = list()
  await arrived
  await site.post(`/api/admin/user/delete?id=${userId}`, undefined, { token: admin })
  release()
  expect(await asked).toMatchObject({ code: 401 })
  await site.settle()
  expect(openlist.users.filter(({ role }) => role === 0)).toEqual([])
})

test('an id that was given there once is no other user’s', async () => {
  const theirs = { password: 'theirs', base_path: '/', role: 0, permission: 0, disabled: false }
  openlist.users.push({ ...theirs, id: userId, username: 'somebody' })
  await list()
  const far = openlist.user('alice')?.id ?? 0
  expect(far).toBe(1_000_000_000 + userId)
  await site.post(`/api/admin/user/delete?id=${userId}`, undefined, { token: admin })
  await site.settle()
  expect(openlist.user('alice')).toBeUndefined()
  const bob = await site.addUser('bob', { password: PASSWORD })
  token = await site.token('bob', PASSWORD)
  await list()
  expect(openlist.user('bob')).toMatchObject({ id: bob })
})

/** Another request comes while the file server writes a user, once. */
function askBetween(path: string, init: RequestInit = {}) {
  openlist.between = () => {
    openlist.between = undefined
    return openlist.send(`${FILES_ORIGIN}${path}`, init)
  }
}

describe('what the file server keeps in memory', () => {
  test('is no guest who was turned off', async () => {
    const ask = () => site.post('/api/fs/list', { path: '/' })
    const turn = (disabled: boolean) =>
      site.post('/api/admin/user/update', { ...guest, disabled }, { token: admin })
    const { data: guest } = await site.get('/api/admin/user/get?id=2', { token: admin })
    await turn(false)
    expect(await ask()).toMatchObject({ code: 200 })
    await site.settle()
    askBetween('/dav/', { method: 'OPTIONS' })
    await turn(true)
    await site.settle()
    expect(openlist.between).toBeUndefined()
    expect(await ask()).toMatchObject({ code: 401 })
  })

  test.each([
    ['rights that were taken away', { permission: 0 }, { code: 200, data: { permission: 0 } }],
    ['a user who was disabled', { disabled: true }, { code: 401 }],
  ])('is not %s', async (_, fields, expected) => {
    await list()
    const headers = { Authorization: `Basic ${btoa(`alice:${openlist.user('alice')?.password}`)}` }
    askBetween('/dav/', { method: 'PROPFIND', headers })
    await change(fields)
    await site.settle()
    expect(openlist.between).toBeUndefined()
    const password = await staticDigest(openlist.user('alice')?.password ?? '')
    const body = JSON.stringify({ username: 'alice', password })
    const signedIn = await openlist.send(`${FILES_ORIGIN}/api/auth/login/hash`, {
      method: 'POST',
      body,
    })
    const { data }: { data: { token: string } } = await signedIn.json()
    const me = await openlist.send(`${FILES_ORIGIN}/api/me`, {
      headers: { Authorization: data.token },
    })
    expect(await me.json()).toMatchObject(expected)
  })
})

test('a user whose new name was not confirmed is the same user', async () => {
  await list()
  let isLost = true
  openlist.answer = (sent) => {
    if (sent.path !== '/api/admin/user/update' || !isLost) return undefined
    isLost = false
    return openlist.send(`${FILES_ORIGIN}${sent.path}`, again(sent)).then(() => {
      throw new Error('the connection was lost')
    })
  }
  await change({ username: 'xa' })
  await site.settle()
  expect(openlist.user('xa')).toMatchObject({ id: userId })
  await change({ username: 'xb' })
  await site.settle()
  const general = () => openlist.users.filter(({ role }) => role === 0)
  expect(general()).toMatchObject([{ id: userId, username: 'xb' }])
  await site.post(`/api/admin/user/delete?id=${userId}`, undefined, { token: admin })
  await site.settle()
  expect(general()).toEqual([])
})

test('a write that was given up, and may still be under way, is followed by none for a while', async () => {
  site = new CheapSite(
    { ...openlist.deps, wait: async () => {} },
    Object.assign({ FILES_TIMEOUT_SECONDS: '1' }, FILES_BINDINGS),
  )
  await list()
  openlist.answer = ({ path }) => {
    if (path !== '/api/admin/user/update') return undefined
    openlist.answer = undefined
    return new Promise(() => undefined)
  }
  await change({ permission: 65_533 })
  await site.settle()
  openlist.paths()
  await change({ permission: 0 })
  await site.settle()
  expect(openlist.paths()).toEqual([])
  site.now += 2 * MINUTE
  await runFrequently(site.deps)
  expect(openlist.user('alice')).toMatchObject({ permission: 0 })
})

/** Whether the file server opens the shares of alice. */
function isOpen(): boolean {
  const { disabled = true, permission = 0 } = openlist.user('alice') ?? {}
  return !disabled && (permission & SHARE) !== 0
}

describe('a write that hangs for longer than its lease, and lands late', () => {
  /** Whether the shares of alice were open when the file server got each of these requests. */
  let seen: Record<string, boolean>
  let release: () => void

  beforeEach(async () => {
    const bindings = Object.assign({ FILES_TIMEOUT_SECONDS: '0.05' }, FILES_BINDINGS)
    site = new CheapSite({ ...openlist.deps, wait: async () => {} }, bindings)
    await list()
    const held = hold('/api/admin/user/update')
    release = held.release
    await change({ permission: 65_533 })
    await held.arrived
    await site.settle()
    seen = {}
  })

  /** Opens a share of alice as strangers do, in each of the ways. */
  async function openShares(): Promise<number[]> {
    const before = openlist.answer
    openlist.answer = (sent) => {
      if (/^\/s|^\/api\/fs/.test(sent.path)) seen[sent.path] = isOpen()
      return before?.(sent)
    }
    const codes: number[] = []
    for (const path of ['/sd/abc/file', '/sad/abc/file'])
      codes.push((await site.fetch('GET', path)).status)
    const body = { path: '/@s/abc' }
    for (const path of ['/api/fs/list', '/api/fs/get'])
      codes.push((await site.post(path, body)).code)
    codes.push((await site.post('/api/fs/list', body, { token: admin })).code)
    openlist.answer = before
    return codes
  }

  /** Has the write land that was held. */
  async function land(): Promise<void> {
    release()
    for (let i = 0; i < 20 && !isOpen(); i++) await scheduler.wait(1)
    expect(isOpen(), 'the late write has landed').toBe(true)
  }

  test.each([
    ['disabled', () => change({ disabled: true })],
    [
      'deleted',
      () => site.post(`/api/admin/user/delete?id=${userId}`, undefined, { token: admin }),
    ],
  ])('opens no share of a user who is %s', async (state, end) => {
    site.now += MINUTE
    await end()
    await site.settle()
    expect(isOpen()).toBe(false)
    site.now += MINUTE
    if (state === 'deleted') release()
    else await land()
    await openShares()
    expect(Object.keys(seen)).toHaveLength(4)
    expect(Object.values(seen)).not.toContain(true)
    expect(isOpen()).toBe(false)
  })

  test('opens none a second time, while it is remembered', async () => {
    site.now += MINUTE
    await change({ disabled: true })
    await site.settle()
    await openShares()
    site.now += 58 * MINUTE
    await land()
    await openShares()
    expect(isOpen()).toBe(false)
    expect(Object.values(seen)).not.toContain(true)
  })

  test('keeps shares closed while it hangs and nobody can write the end', async () => {
    site.now += 5 * SECOND
    await change({ disabled: true })
    await site.settle()
    expect(isOpen(), 'the file server knows nothing of it').toBe(true)
    expect(await openShares()).toEqual([503, 503, 503, 503, 503])
    expect(seen).toEqual({})
    site.now += MINUTE
    await openShares()
    expect(Object.values(seen)).toEqual([false, false, false, false])
  })

  test('is forgotten after an hour', async () => {
    // The first request of a stranger writes the guest there.
    await openShares()
    site.now += 2 * HOUR
    openlist.paths()
    await openShares()
    expect(openlist.paths().filter((path) => path.includes('/user/'))).toEqual([])
  })
})

test('a request for a share costs the file server no look while no write is late', async () => {
  await list()
  openlist.paths()
  await site.fetch('GET', '/sd/abc/file')
  expect(openlist.paths()).toEqual(['GET /sd/abc/file'])
})

test('a user who can not be written keeps no other one from being written', async () => {
  const theirs = { password: 'theirs', base_path: '/', role: 0, permission: 0, disabled: false }
  await list()
  const bob = await site.addUser('bob', { password: PASSWORD, permission: SHARE })
  await site.post('/api/fs/list', { path: '/' }, { token: await site.token('bob', PASSWORD) })
  openlist.users.push({ ...theirs, id: 50, username: 'taken' })
  openlist.users.push({ ...theirs, id: 51, username: `taken~${userId}` })
  await change({ username: 'taken' })
  await site.settle()
  await site.post(`/api/admin/user/delete?id=${bob}`, undefined, { token: admin })
  await site.settle()
  expect(openlist.user('alice')).toBeDefined()
  expect(openlist.user('bob')).toBeUndefined()
})

test('who has to be written is asked after a change of a user, not after a sign-in', async () => {
  const statements: string[] = []
  const DB = watchedD1((sql) => statements.push(sql))
  site = new CheapSite(openlist.deps, { ...FILES_BINDINGS, DB })
  const asks = () => statements.splice(0).filter((sql) => /is_end desc, random\(\)/.test(sql))
  await list()
  await site.token('alice', PASSWORD)
  await site.settle()
  expect(asks()).toEqual([])
  await change({ permission: 0 })
  await site.settle()
  expect(asks()).toHaveLength(1)
})

/** Fails the next call of a path, as OpenList does while its database is busy. */
function failOnce(start: string) {
  openlist.answer = ({ path }) => {
    if (!path.startsWith(start)) return undefined
    openlist.answer = undefined
    const message = 'database is locked (5) (SQLITE_BUSY)'
    return Response.json({ code: 500, message, data: null })
  }
}

test.each([
  ['a rename', '/api/admin/user/get', { username: 'xa' }],
  ['a rename of who is disabled', '/api/admin/user/get', { username: 'xa', disabled: true }],
  ['an update', '/api/admin/user/update', { permission: 0 }],
])('a busy file server makes no second user of %s', async (_, path, fields) => {
  await list()
  failOnce(path)
  await change(fields)
  await site.settle()
  expect(openlist.answer).toBeUndefined()
  await runFrequently(site.deps)
  const general = openlist.users.filter(({ role }) => role === 0)
  expect(general).toMatchObject([{ id: userId, ...fields }])
})

test('a busy file server gives a new user no other name', async () => {
  failOnce('/api/admin/user/create')
  expect(await list()).toMatchObject({ code: 502 })
  expect(await list()).toMatchObject({ code: 200 })
  expect(openlist.users.filter(({ role }) => role === 0)).toMatchObject([{ username: 'alice' }])
})

test('a user who is made there while disabled can come later', async () => {
  await change({ disabled: true, permission: SHARE })
  const meta = { path: '/x', read_users: [userId] }
  const saved = () => site.post('/api/admin/meta/create', meta, { token: admin })
  expect(await saved()).toMatchObject({ code: 200 })
  expect(openlist.user('alice')).toMatchObject({ disabled: true, permission: 0 })
  await change({ disabled: false, permission: SHARE })
  await site.settle()
  token = await site.token('alice', PASSWORD)
  expect(await list()).toMatchObject({ code: 200 })
  expect(openlist.user('alice')).toMatchObject({ disabled: false, permission: SHARE })
})

test('strangers do not wait for a guest who is being written', async () => {
  const waits: number[] = []
  site = new CheapSite(
    { ...openlist.deps, wait: async (milliseconds) => void waits.push(milliseconds) },
    FILES_BINDINGS,
  )
  await site.db.insert(fileLeases).values({ userId: 2, holder: 'other', endsAt: site.now + 60_000 })
  expect(await site.post('/api/fs/list', { path: '/' })).toMatchObject({ code: 503 })
  expect(waits.reduce((sum, wait) => sum + wait, 0)).toBeLessThan(2000)
  await site.db.insert(fileLeases).values({ userId, holder: 'other', endsAt: site.now + 60_000 })
  waits.length = 0
  expect(await list()).toMatchObject({ code: 503 })
  // Each is a write, so they become rarer.
  expect(waits.length).toBeLessThan(20)
  expect(waits.reduce((sum, wait) => sum + wait, 0)).toBeGreaterThan(15_000)
})

const run = async () => {
  await runFrequently(site.deps)
  await runFrequently(site.deps)
}

describe('a backup of OpenList that is put back', () => {
  test('brings nobody’s old rights back', async () => {
    await change({ permission: 65_533, base_path: '/secret' })
    await list()
    const backup = { ...openlist.user('alice') }
    await change({ permission: 0, base_path: '/low' })
    await site.settle()
    await run()
    openlist.paths()
    await run()
    expect(openlist.paths().filter((path) => path.includes('user/update'))).toEqual([])
    Object.assign(openlist.user('alice') ?? {}, backup)
    openlist.restart()
    await run()
    expect(openlist.user('alice')).toMatchObject({ permission: 0, base_path: '/low' })
  })

  test('brings nobody back who was deleted before the secret got another entry', async () => {
    const [, older = ''] = SECRET_KEYS.split(',')
    site = new CheapSite(openlist.deps, { ...FILES_BINDINGS, SECRET_KEYS: older })
    token = await site.token('alice', PASSWORD)
    await list()
    const backup = openlist.users.filter(({ username }) => username === 'alice')
    site = new CheapSite(openlist.deps, FILES_BINDINGS)
    admin = await site.token('admin', ADMIN_PASSWORD)
    await site.post(`/api/admin/user/delete?id=${userId}`, undefined, { token: admin })
    await site.settle()
    openlist.users.push(...backup)
    await run()
    expect(openlist.users.filter(({ role }) => role === 0)).toEqual([])
  })

  test('brings nobody back who was deleted, and touches nobody who is another', async () => {
    await list()
    const backup = { ...openlist.user('alice') }
    await change({ username: 'renamed' })
    await site.settle()
    await site.post(`/api/admin/user/delete?id=${userId}`, undefined, { token: admin })
    await site.settle()
    openlist.paths()
    await run()
    const looks = ['GET /api/admin/user/list', 'GET /api/share/list']
    expect(new Set(openlist.paths())).toEqual(new Set(looks))
    const other = { id: userId, password: 'theirs', base_path: '/', role: 0, permission: 1 }
    openlist.users.push({ ...other, username: 'renamed', disabled: false })
    await run()
    expect(openlist.user('renamed')).toMatchObject({ id: userId })
    openlist.remove('renamed')
    openlist.users.push(Object.assign({ ...other, username: '', disabled: false }, backup))
    await run()
    expect(openlist.users.filter(({ role }) => role === 0)).toEqual([])
    site.now += 366 * 24 * HOUR
    await runNightly(site.deps)
    expect(await site.db.select().from(fileUsers)).toEqual([])
  })
})

const listShares = async () => (await site.get('/api/share/list', { token: admin })).code

describe('a share that a visit writes back after its user was deleted', () => {
  const SHARE_OF_ALICE = {
    id: 's',
    files: ['/'],
    disabled: false,
    creator: 'alice',
    creator_role: 0,
  }

  test('is deleted by the next run, and the shares are listed again', async () => {
    await list()
    await site.post(`/api/admin/user/delete?id=${userId}`, undefined, { token: admin })
    await site.settle()
    const others = Array.from({ length: 12 }, (_, i) => ({
      ...SHARE_OF_ALICE,
      id: `of others ${i}`,
    }))
    openlist.shares.rows.push(...others, { ...SHARE_OF_ALICE, creatorId: userId })
    expect(await listShares()).not.toBe(200)
    openlist.paths()
    await runFrequently(site.deps)
    expect(openlist.paths()).toHaveLength(13)
    expect(openlist.shares.rows).toEqual(others)
    expect(openlist.users.map(({ username }) => username)).toEqual(['admin', 'guest'])
    expect(await listShares()).toBe(200)
  })

  test('is deleted in time, whoever it was', async () => {
    await list()
    openlist.users.push({ ...THERE, id: 100, username: 'theirs' })
    openlist.shares.rows.push({ ...SHARE_OF_ALICE, creatorId: 77 })
    for (let runs = 0; runs < 30 && openlist.shares.rows.length > 0; runs++) {
      site.now += 5 * MINUTE
      await runFrequently(site.deps)
    }
    expect(openlist.shares.rows).toEqual([])
    expect(openlist.users).toHaveLength(4)
  })

  test('costs a run one request where there is none', async () => {
    await list()
    openlist.paths()
    await runFrequently(site.deps)
    expect(openlist.paths().filter((path) => path.includes('/share/'))).toEqual([
      'GET /api/share/list',
    ])
  })
})

test('those deleted whose ids others have cost a run little, and hide nobody', async () => {
  await list()
  const other = { password: 'theirs', base_path: '/', role: 0, permission: 1, disabled: false }
  for (let id = 1000; id < 1100; id++) {
    openlist.users.push({ ...other, id, username: `other ${id}` })
    const gone = { userId: id, remoteId: id, remoteName: `gone ${id}`, sub: 'a', goneAt: site.now }
    await site.db.insert(fileUsers).values(gone)
  }
  Object.assign(openlist.user('alice') ?? {}, { permission: 65_533 })
  openlist.restart()
  openlist.paths()
  openlist.answer = ({ path, body }) =>
    path === '/api/auth/login/hash' && !body.includes('alice')
      ? Response.json({ code: 500, message: 'failed', data: null })
      : undefined
  await run()
  expect(openlist.user('alice')).toMatchObject({ permission: SHARE })
  openlist.answer = undefined
  openlist.paths()
  await runFrequently(site.deps)
  const signIns = openlist.paths().filter((path) => path.includes('login'))
  expect(signIns.length).toBeLessThan(50)
  expect(openlist.users).toHaveLength(103)
})

const THERE = { password: 'theirs', base_path: '/', role: 0, permission: 65_533, disabled: false }

test('those disabled are off before the others are written', async () => {
  await list()
  await change({ disabled: true })
  await site.settle()
  const others = Array.from({ length: 12 }, (_, i) => `other${i}`)
  for (const username of others) {
    const id = await site.addUser(username, { password: PASSWORD, permission: 1 })
    const remote = { userId: id, remoteId: id, remoteName: username, username }
    await site.db
      .insert(fileUsers)
      .values({ ...remote, permission: 1, basePath: '/', disabled: false })
    openlist.users.push({ ...THERE, id, username })
  }
  // A backup has come back there, and the others can't be written: that ends a run.
  Object.assign(openlist.user('alice') ?? {}, { permission: SHARE, disabled: false })
  openlist.restart()
  openlist.answer = ({ path }) =>
    /user\/get/.test(path) && !path.endsWith(`=${userId}`)
      ? Promise.reject(new TypeError('no route'))
      : undefined
  await runFrequently(site.deps)
  expect(openlist.user('alice')).toMatchObject({ disabled: true, permission: 0 })
})

test('all who were deleted are found by one run, when a backup has brought them back', async () => {
  const there = new Map<number, string>()
  for (let id = 1000; id < 1025; id++) {
    there.set(id, `gone ${id}`)
    openlist.users.push({ ...THERE, id, username: `gone ${id}` })
  }
  const rows = Array.from(there, ([id, remoteName]) => ({ userId: id, remoteId: id, remoteName }))
  for (const row of rows) await site.db.insert(fileUsers).values({ ...row, goneAt: site.now })
  openlist.answer = ({ path }) =>
    path.includes('user/get') ? Promise.reject(new TypeError('no route')) : undefined
  await runFrequently(site.deps)
  const links = await site.db.select({ goneAt: fileUsers.goneAt }).from(fileUsers)
  expect(links).toEqual(rows.map(() => ({ goneAt: null })))
})

test('a backup of this site that is put back leaves no second user there', async () => {
  await list()
  const backup = await site.db.select().from(fileUsers)
  await change({ username: 'xa', permission: 65_533 })
  await site.settle()
  await site.db
    .update(users)
    .set({ username: 'alice', usernameKey: 'alice', permission: 0 })
    .where(eq(users.id, userId))
  await site.db.delete(fileUsers)
  await site.db.insert(fileUsers).values(backup)
  await runFrequently(site.deps)
  const general = openlist.users.filter(({ role }) => role === 0)
  expect(general).toMatchObject([{ id: userId, username: 'alice', permission: 0 }])
})

test('requests that wait for one another to make a user go on together once it is there', async () => {
  const others = 9
  const waits = new HeldWaits(others)
  site = new CheapSite({ ...openlist.deps, wait: waits.wait }, FILES_BINDINGS)
  const { arrived, release } = hold('/api/admin/user/create')
  const asked = Array.from({ length: others + 1 }, list)
  await Promise.all([arrived, waits.all])
  release()
  await Promise.race(asked)
  waits.release()
  for (const answer of await Promise.all(asked)) expect(answer).toMatchObject({ code: 200 })
  expect(waits.count).toBe(others)
})

test('a user whom others write keeps no other one waiting', async () => {
  const waits: number[] = []
  site = new CheapSite(
    { ...openlist.deps, wait: async (milliseconds) => void waits.push(milliseconds) },
    FILES_BINDINGS,
  )
  await list()
  await site.db.insert(fileLeases).values({ userId, holder: 'other', endsAt: site.now + 60_000 })
  await change({ permission: 1 })
  await site.settle()
  expect(waits.reduce((sum, wait) => sum + wait, 0)).toBeLessThan(2000)
})
