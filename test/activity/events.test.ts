import { createHmac } from 'node:crypto'
import { env } from 'cloudflare:workers'
import { asc, eq } from 'drizzle-orm'
import { beforeEach, describe, expect, test } from 'vitest'
import { auditEvents, users } from '../../schema/tables.ts'
import { createKeyRing, hashName } from '../../src/core/crypto/key-ring.ts'
import { CheapSite } from '../support/cheap-site.ts'
import { loggedLines, rememberSecret } from '../support/log.ts'
import { signInAlice } from '../support/signed-in.ts'
import { type Call, HOUR, MINUTE, NOW, SECOND } from '../support/site.ts'
import { ED1 } from '../reference/keys.ts'

const PASSWORD = 'alice-Passw0rd'
const ALICE = 3
const AGENT = 'Mozilla/5.0 (X11; Linux x86_64; rv:145.0)'

const FORM_HEADERS = {
  'Content-Type': 'application/x-www-form-urlencoded',
  Origin: 'http://localhost',
}
/** The filter of the README, with what fail2ban puts in the place of `<SUBNET>`. */
const FAIL_REGEX =
  /"event":"request","id":"[^"]*","network":"([\d.]+|[\da-f:]+\/64)","method":"POST","route":"\/(?:api\/auth\/login(?:\/hash)?|account\/sign-in(?:\/code)?)","code":(?:401|429),/

const badQuery = { code: 400, message: 'page must be an integer', data: null }
const guestRefused = { code: 403, message: 'Guest user has no events', data: null }

let site: CheapSite
let token: string
/** A network of each test's own, by which to find its lines in the log. */
let network: string
let networks = 0

beforeEach(async () => {
  network = `2001:db8:a0d1:${++networks}::/64`
  site = new CheapSite()
  token = await signInAlice(site)
  await site.db.delete(auditEvents)
})

const headers = () => ({
  'CF-Connecting-IP': network.replace('/64', 'abcd'),
  'User-Agent': AGENT,
})
const post = (path: string, body?: unknown, as = token) =>
  site.post(path, body, { token: as, headers: headers() })
const signIn = (username: string, password: string, code?: string) =>
  post('/api/auth/login', {
    username,
    password,
    ...(code !== undefined && { otp_code: code }),
  })

/** What was written, from the first on; each from here, and by this client. */
async function written() {
  const rows = await site.db.select().from(auditEvents).orderBy(asc(auditEvents.id))
  for (const row of rows) {
    expect(row).toMatchObject({ at: site.now, network, userAgent: AGENT })
  }
  return rows.map(({ kind, userId, nameHash, detail }) => [kind, userId, nameHash, detail])
}

/** The lines of the log about what happened from here. */
function loggedEvents(): unknown[] {
  const lines = loggedLines(`"network":"${network}"`).map((line) => JSON.parse(line))
  return lines.filter(({ event }) => event === 'audit')
}

const events = (query = '', as = token) => site.get(`/api/me/events${query}`, { token: as })

/** Events one to so many, a minute apart. */
async function happen(times: number, userId = ALICE): Promise<void> {
  for (let i = 1; i <= times; i++) {
    const at = NOW + i * MINUTE
    const event = { at, kind: 'sign_in', userId, detail: `${i}`, network, userAgent: AGENT }
    await site.db.insert(auditEvents).values(event)
  }
}

const details = ({ data }: Awaited<ReturnType<typeof events>>) => [
  data.total,
  ...data.content.map((event: { detail: string }) => event.detail),
]

const requestLines = (id: string) =>
  loggedLines(`"id":"${id}"`)
    .map((line) => JSON.parse(line))
    .filter(({ event }) => event === 'request')

describe('an event is written', () => {
  test('for a sign-in', async () => {
    await signIn('alice', PASSWORD)
    expect(await written()).toEqual([['sign_in', ALICE, null, 'pwd']])
    expect(loggedEvents()).toEqual([
      { event: 'audit', kind: 'sign_in', user: ALICE, detail: 'pwd', network },
    ])
  })

  test('for a sign-in that is refused, with the class of the reason', async () => {
    const secret = await site.enrol(token)
    await site.db.delete(auditEvents)
    await site.addUser('off', { password: 'off-Passw0rd', disabled: true })
    await site.addUser('no password')
    await signIn('alice', 'wrong-Passw0rd')
    await signIn('alice', PASSWORD, '000000')
    await signIn('off', 'off-Passw0rd')
    await signIn('no password', 'any-Passw0rd')
    await signIn('guest', 'any-Passw0rd')
    expect(await written()).toEqual([
      ['sign_in_refused', ALICE, null, 'credentials'],
      ['sign_in_refused', ALICE, null, 'code'],
      ['sign_in_refused', 4, null, 'disabled'],
      ['sign_in_refused', 5, null, 'credentials'],
      ['sign_in_refused', 2, null, 'disabled'],
    ])
    await signIn('alice', PASSWORD, site.code(secret))
    expect((await written()).at(-1)).toEqual(['sign_in', ALICE, null, 'pwd otp'])
  })

  test('for nothing while only the code is missing', async () => {
    await site.enrol(token)
    await site.db.delete(auditEvents)
    await signIn('alice', PASSWORD)
    await signIn('alice', PASSWORD, '')
    expect(await written()).toEqual([])
  })

  test('for an unknown name as its keyed hash alone', async () => {
    const name = 'my-Passw0rd in the wrong field'
    rememberSecret(name)
    await signIn(name, 'any-Passw0rd')
    const nameHash = await hashName(await createKeyRing(env.SECRET_KEYS), name)
    expect(await written()).toEqual([['sign_in_refused', null, nameHash, 'credentials']])
    const plain = createHmac('sha256', '').update(name).digest('base64url').slice(0, 22)
    expect(nameHash).not.toBe(plain)
    expect(loggedEvents()).toEqual([
      { event: 'audit', kind: 'sign_in_refused', name: nameHash, detail: 'credentials', network },
    ])
    expect(loggedLines(name)).toEqual([])
    const everything = await env.DB.prepare('select * from audit_events').all()
    expect(JSON.stringify(everything)).not.toContain(name)
  })

  test('once for all unknown names of a network, with their number, until its failures are forgotten', async () => {
    for (const name of ['a', 'a', 'b', 'c']) await signIn(name, 'any-Passw0rd')
    await site.post(
      '/api/auth/login',
      { username: 'elsewhere', password: 'any-Passw0rd' },
      { headers: { 'CF-Connecting-IP': '198.51.100.1' } },
    )
    await signIn('alice', 'wrong-Passw0rd')
    await signIn('a', 'any-Passw0rd')
    site.now += 5 * MINUTE
    await signIn('a', 'any-Passw0rd')
    await signIn('a', 'any-Passw0rd')
    const rows = await site.db.select().from(auditEvents).orderBy(asc(auditEvents.id))
    const nameHash = await hashName(await createKeyRing(env.SECRET_KEYS), 'a')
    expect(
      rows.map((row) => [row.userId, row.network === network, row.nameHash, row.times]),
    ).toEqual([
      [null, true, null, 5],
      [null, false, expect.any(String), 1],
      [ALICE, true, null, 1],
      [null, true, nameHash, 2],
    ])
    expect(loggedEvents(), 'each in the log').toHaveLength(8)
  })

  test('to the log alone for a try while throttled', async () => {
    for (let i = 0; i < 6; i++) await signIn('alice', 'wrong-Passw0rd')
    await signIn('alice', 'wrong-Passw0rd')
    expect(await written()).toHaveLength(5)
    const line = { event: 'audit', kind: 'sign_in_refused', user: ALICE, network }
    expect(loggedEvents()).toEqual([
      ...Array.from({ length: 5 }, () => ({ ...line, detail: 'credentials' })),
      ...Array.from({ length: 2 }, () => ({ ...line, detail: 'too many attempts' })),
    ])
  })

  test('when two-step verification goes on and off, and for recovery codes', async () => {
    const { data } = await post('/api/auth/2fa/generate')
    const wrong = { code: site.code(data.secret, 9), secret: data.secret }
    await post('/api/auth/2fa/verify', wrong)
    await post('/api/auth/2fa/verify', { ...wrong, code: site.code(data.secret) })
    const made = await post('/api/auth/2fa/recovery_codes', { otp_code: site.code(data.secret) })
    await signIn('alice', PASSWORD, made.data.recovery_codes[0])
    await post('/api/auth/2fa/disable', { otp_code: site.code(data.secret) })
    await post('/api/auth/2fa/disable', { otp_code: site.code(data.secret, 1) })
    expect(await written()).toEqual([
      ['two_factor_on', ALICE, null, ''],
      ['recovery_codes_made', ALICE, null, ''],
      ['recovery_code_used', ALICE, null, ''],
      ['sign_in', ALICE, null, 'pwd recovery'],
      ['proof_refused', ALICE, null, 'code'],
      ['two_factor_off', ALICE, null, ''],
    ])
  })

  test('for a key added or deleted, not for one refused', async () => {
    await post('/api/me/sshkey/add', { title: 'laptop', key: ED1 })
    await post('/api/me/sshkey/add', { title: 'laptop', key: ED1 })
    await post('/api/me/sshkey/add', { title: 'other', key: 'x' })
    await post('/api/me/sshkey/delete?id=1')
    await post('/api/me/sshkey/delete?id=1')
    expect(await written()).toEqual([
      ['key_added', ALICE, null, 'laptop'],
      ['key_deleted', ALICE, null, 'laptop'],
    ])
  })

  test('for a change of the record and for a new password, not for one refused', async () => {
    const change = (password: string) => post('/api/me/update', { username: 'alice', password })
    await change('short')
    await change('PASSWORD')
    await site.db.update(users).set({ ssoId: 'x' })
    await post('/api/me/update', { username: 'alice', sso_id: '' })
    await change('another-Passw0rd')
    await change('yet-another-Passw0rd')
    expect(await written()).toEqual([
      ['profile_changed', ALICE, null, ''],
      ['password_changed', ALICE, null, ''],
    ])
  })

  test('for sessions that were ended, not for those that had', async () => {
    const other = (await signIn('alice', PASSWORD)).data.token
    const third = (await signIn('alice', PASSWORD)).data.token
    const { data } = await site.get('/api/me/sessions', { token: other, headers: headers() })
    const { id } = data.content.find((session: { current: boolean }) => session.current)
    await site.db.delete(auditEvents)
    await post(`/api/me/sessions/delete?id=${id}`)
    await post(`/api/me/sessions/delete?id=${id}`)
    for (let i = 0; i < 2; i++) {
      await site.get('/api/auth/logout', { token: third, headers: headers() })
    }
    await site.get('/api/auth/logout', { token: 'dead', headers: headers() })
    await post('/api/me/sessions/delete_others')
    await post('/api/me/sessions/delete_others', undefined, third)
    expect(await written()).toEqual([
      ['session_ended', ALICE, null, ''],
      ['session_ended', ALICE, null, 'logout'],
    ])
  })
})

describe('GET /api/me/events', () => {
  test('tells what, when, from where and with what', async () => {
    site.now = NOW + HOUR
    await signIn('alice', 'wrong-Passw0rd')
    site.now += SECOND
    await signIn('alice', PASSWORD)
    expect(await events()).toEqual({
      code: 200,
      message: 'success',
      data: {
        content: [
          {
            id: expect.any(Number),
            time: '2026-11-21T10:15:07.565+00:00',
            kind: 'sign_in',
            detail: 'pwd',
            network,
            user_agent: AGENT,
            actor: null,
            changes: [],
          },
          {
            id: expect.any(Number),
            time: '2026-11-21T10:15:06.565+00:00',
            kind: 'sign_in_refused',
            detail: 'credentials',
            network,
            user_agent: AGENT,
            actor: null,
            changes: [],
          },
        ],
        total: 2,
      },
    })
  })

  test('gives pages, the newest first', async () => {
    await happen(5)
    expect(details(await events())).toEqual([5, '5', '4', '3', '2', '1'])
    expect(details(await events('?page=1&per_page=2'))).toEqual([5, '5', '4'])
    expect(details(await events('?page=2&per_page=2'))).toEqual([5, '3', '2'])
    expect(details(await events('?page=3&per_page=2'))).toEqual([5, '1'])
    expect(details(await events('?page=4&per_page=2'))).toEqual([5])
    expect(details(await events('?page=-1&per_page=1'))).toEqual([5, '5'])
    expect(details(await events('?per_page=0'))).toEqual([5, '5', '4', '3', '2', '1'])
    expect(await events('?page=x')).toEqual(badQuery)
  })

  test('shows nobody what happened to others, or to nobody', async () => {
    await site.addUser('bob', { password: 'bob-Passw0rd' })
    const bob = await site.token('bob', 'bob-Passw0rd')
    await happen(2)
    await signIn('nobody', 'any-Passw0rd')
    expect(details(await events())).toEqual([2, '2', '1'])
    expect(details(await events('', bob))).toEqual([1, 'pwd'])
    expect((await events('', bob)).data.content[0].kind).toBe('sign_in')
  })

  test('is not for guests, nor for a session that has ended', async () => {
    expect(await events('', 'dead')).toMatchObject({ code: 401, data: null })
    await site.db.update(users).set({ disabled: false }).where(eq(users.username, 'guest'))
    expect(await events('', '')).toEqual(guestRefused)
    expect(await events('?page=x', '')).toEqual(guestRefused)
  })
})

/** The network that fail2ban would find in the line of a request. */
async function banned(address: string, path: string, call: Call = {}) {
  const from = { 'CF-Connecting-IP': address, ...call.headers }
  const response = await site.fetch('POST', path, { ...call, headers: from })
  const [line = ''] = loggedLines(response.headers.get('X-Request-Id') ?? 'none')
  return FAIL_REGEX.exec(line)?.[1]
}

describe('the log', () => {
  test('has one line per request, found by X-Request-Id', async () => {
    const requests: [method: string, path: string, code: number][] = [
      ['GET', '/api/me', 200],
      ['GET', '/api/me/sshkey/list?page=x', 400],
      ['POST', '/api/me', 405],
      ['GET', '/api/nothing', 404],
      ['GET', '/nothing', 404],
      ['GET', '/api/public/settings', 200],
    ]
    const ids = []
    for (const [method, path, code] of requests) {
      const response = await site.fetch(method, path, { token })
      const id = response.headers.get('X-Request-Id') ?? ''
      ids.push(id)
      expect(id).toMatch(/^[0-9a-f-]{36}$/)
      expect(requestLines(id)).toEqual([
        {
          event: 'request',
          id,
          network: '192.0.2.1',
          method,
          route: path.replace(/\?.*/, ''),
          code,
          ms: 0,
          trips: expect.any(Number),
          rows: expect.any(Number),
        },
      ])
    }
    expect(new Set(ids).size).toBe(requests.length)
  })

  test('has the network of each refused sign-in where fail2ban looks for it', async () => {
    const wrong = { username: 'alice', password: 'wrong-Passw0rd' }
    const login = '/api/auth/login'
    const form = { body: 'username=alice&password=wrong-Passw0rd', headers: FORM_HEADERS }
    expect(await banned('192.0.2.7', login, { body: wrong })).toBe('192.0.2.7')
    expect(await banned('2001:db8::7', login, { body: wrong })).toBe('2001:db8:0:0::/64')
    expect(await banned('192.0.2.7', `${login}/hash`, { body: wrong })).toBe('192.0.2.7')
    expect(await banned('192.0.2.7', '/account/sign-in', form)).toBe('192.0.2.7')
    for (let i = 0; i < 5; i++) await banned('192.0.2.7', login, { body: wrong })
    expect(await banned('192.0.2.7', login, { body: wrong })).toBe('192.0.2.7')
    // Neither a right password, nor another path, nor a path that is made to look like a line.
    const right = { body: { username: 'alice', password: PASSWORD } }
    expect(await banned('192.0.2.8', login, right)).toBeUndefined()
    expect(await banned('192.0.2.8', '/api/me', { token: 'dead' })).toBeUndefined()
    const forged = `/x","network":"192.0.2.9","method":"POST","route":"${login}","code":401,`
    expect(await banned('192.0.2.8', forged)).toBeUndefined()
  })

  test('names a request as the edge does', async () => {
    const response = await site.fetch('GET', '/robots.txt', {
      headers: { 'CF-Ray': '8f1c2d3e4a5b6c7d' },
    })
    expect(response.headers.get('X-Request-Id')).toBe('8f1c2d3e4a5b6c7d')
    expect(requestLines('8f1c2d3e4a5b6c7d')).toHaveLength(1)
  })

  test('counts the milliseconds and the round trips of each request', async () => {
    const timed = new CheapSite({
      async hashPassword(...[digest, salt]) {
        timed.now += 140
        return site.deps.hashPassword(digest, salt, { logN: 1, blockSize: 1, parallelism: 1 })
      },
    })
    const body = { username: 'alice', password: PASSWORD }
    const response = await timed.fetch('POST', '/api/auth/login', { body })
    expect(requestLines(response.headers.get('X-Request-Id') ?? '')).toMatchObject([
      { code: 200, ms: 140, trips: 2 },
    ])
  })

  test('finds the fault of a request by the same id', async () => {
    const broken = new CheapSite({ hashPassword: () => Promise.reject(new Error('out of order')) })
    const body = { username: 'alice', password: PASSWORD }
    const response = await broken.fetch('POST', '/api/auth/login', { body })
    const id = response.headers.get('X-Request-Id') ?? ''
    expect(loggedLines(`"id":"${id}"`).map((line) => JSON.parse(line))).toMatchObject([
      { event: 'error', id, message: 'out of order' },
      { event: 'request', id, code: 500 },
    ])
  })

  test('holds no query and no control character of a request', async () => {
    const response = await site.fetch('GET', '/api/me%0Afake?token=in-the-query', { token })
    const [line] = loggedLines(`"id":"${response.headers.get('X-Request-Id')}"`)
    expect(line).not.toMatch(/in-the-query|\n/)
  })

  test('is one line of JSON for every event, whatever the names in it', async () => {
    const title = 'a "title" \u2028 with \\ and {}'
    await post('/api/me/sshkey/add', { title, key: ED1 })
    const lines = loggedLines(`"network":"${network}"`).filter((line) => line.includes('audit'))
    expect(lines).toHaveLength(1)
    expect(lines[0]).not.toContain('\n')
    expect(loggedEvents()).toMatchObject([{ kind: 'key_added', user: ALICE, detail: title }])
  })
})

test('the events of an account come a hundred at most at a time', async () => {
  const row = { at: site.now, kind: 'sign_in_refused', userId: ALICE, network: '', userAgent: '' }
  for (let i = 0; i < 15; i++) {
    await site.db.insert(auditEvents).values(Array.from({ length: 10 }, () => row))
  }
  for (const query of ['', '?per_page=1000', '?per_page=-1']) {
    const { data } = await events(query)
    expect(data.content).toHaveLength(100)
    expect(data.total).toBeGreaterThan(149)
  }
})

test('an operator’s address and browser are for operators alone', async () => {
  await site.addUser('root', { password: PASSWORD, role: 2 })
  const admin = await site.token('root', PASSWORD)
  const office = { 'CF-Connecting-IP': '203.0.113.7', 'User-Agent': 'Office/1.0' }
  const path = `/api/admin/user/update`
  const answer = await site.post(
    path,
    { id: ALICE, permission: 3 },
    { token: admin, headers: office },
  )
  expect(answer.code).toBe(200)
  const [own] = (await events()).data.content
  expect(own).toMatchObject({ kind: 'user_changed', actor: { username: 'root' } })
  expect([own.network, own.user_agent]).toEqual(['', ''])
  const stored = await site.db
    .select()
    .from(auditEvents)
    .where(eq(auditEvents.kind, 'user_changed'))
  expect(stored).toMatchObject([{ network: '203.0.113.7', userAgent: 'Office/1.0' }])
})

test('a key that an admin removes is an event of its owner', async () => {
  await post('/api/me/sshkey/add', { title: 'laptop', key: ED1 })
  const { data } = await site.get('/api/me/sshkey/list', { token, headers: headers() })
  await site.addUser('root', { password: PASSWORD, role: 2 })
  const admin = await site.token('root', PASSWORD)
  await site.post(`/api/admin/user/sshkey/delete?id=${data.content[0].id}`, undefined, {
    token: admin,
  })
  expect((await events()).data.content[0]).toMatchObject({ kind: 'key_deleted', detail: 'laptop' })
})

test('the ids that a user sees do not count the events of others', async () => {
  await signIn('alice', PASSWORD)
  await signIn('alice', PASSWORD)
  const { data } = await site.get('/api/me/events', { token })
  const [latest, first] = data.content
  expect(Math.abs(latest.id - first.id)).toBeGreaterThan(1000)
  expect([latest.id, first.id].every(Number.isSafeInteger)).toBe(true)
  expect((await site.get('/api/me/events', { token })).data).toEqual(data)
})
