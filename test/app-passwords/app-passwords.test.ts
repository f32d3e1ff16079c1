import { eq } from 'drizzle-orm'
import { beforeEach, describe, expect, test } from 'vitest'
import { appPasswords, auditEvents, users } from '../../schema/tables.ts'
import { addAppPassword } from '../support/app-passwords.ts'
import { CheapSite } from '../support/cheap-site.ts'
import { leakedSecrets } from '../support/log.ts'
import { signInAlice } from '../support/signed-in.ts'
import { ADMIN_PASSWORD, HOUR, MINUTE, NOW } from '../support/site.ts'
import { Visitor } from '../support/visitor.ts'

const DAY = 24 * HOUR
const PASSWORD = 'alice-Passw0rd'
const ALICE = 3
const unauthorised = { code: 401, message: 'token is invalidated', data: null }
const KEY = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIHzsLvYmY1gdR2JQw3br6B9smKmS5wMpB7GZYkGLZYQe'

let site: CheapSite
let alice: string

beforeEach(async () => {
  site = new CheapSite()
  alice = await signInAlice(site)
})

const create = (body: object, token = alice) => site.post('/api/me/tokens/create', body, { token })
const list = async (token = alice) => (await site.get('/api/me/tokens', { token })).data
const rclone = { name: 'rclone', scopes: ['files:read'] }

async function kinds(): Promise<string[]> {
  await site.settle()
  const events = await site.db.select().from(auditEvents).where(eq(auditEvents.userId, ALICE))
  return events.map(({ kind, detail }) => `${kind} ${detail}`.trim())
}

describe('POST /api/me/tokens/create', () => {
  test('gives the app password once, and lists it without', async () => {
    const { data } = await create(rclone)
    expect(data).toEqual({ id: 1, token: expect.stringMatching(/^lk_[0-9A-Za-z]{38}$/) })
    expect(await list()).toEqual({
      content: [
        {
          id: 1,
          name: 'rclone',
          scopes: ['files:read'],
          created_at: '2026-11-21T09:15:06.565+00:00',
          expires_at: '2027-11-21T09:15:06.565+00:00',
          last_used_at: null,
          last_network: null,
          lacks_second_factor: false,
        },
      ],
      total: 1,
    })
    const [row] = await site.db.select().from(appPasswords)
    expect(row?.tokenHash).toMatch(/^[0-9a-f]{64}$/)
    expect(JSON.stringify(row)).not.toContain(data.token)
    expect(await kinds()).toEqual(['sign_in pwd', 'token_created rclone'])
  })

  test('takes the expiry that is asked for: a time, or null for never', async () => {
    await create({ ...rclone, expires_at: '2026-12-01T00:00:00+08:00' })
    await create({ ...rclone, name: 'never', expires_at: null })
    const { content } = await list()
    expect(content.map(({ expires_at }: { expires_at: string | null }) => expires_at)).toEqual([
      '2026-11-30T16:00:00.000+00:00',
      null,
    ])
  })

  test('sorts the scopes and takes each once', async () => {
    await create({ name: 'all', scopes: ['account:write', 'files:read', 'account:write'] })
    expect((await list()).content[0].scopes).toEqual(['files:read', 'account:write'])
  })

  test.each([
    [{ scopes: ['files:read'] }, 'name is required'],
    [{ ...rclone, name: 'x'.repeat(101) }, 'name must have at most 100 characters'],
    [{ ...rclone, name: 'a\u0007' }, 'name must not contain control characters'],
    [{ ...rclone, name: 'a\u202Eb' }, 'name must not contain control characters'],
    [{ ...rclone, name: ' ' }, 'name is required'],
    [{ ...rclone, name: `lk_${'0'.repeat(38)}` }, 'name must not be an app password'],
    [{ name: 'rclone' }, 'scopes is required'],
    [{ name: 'rclone', scopes: [] }, 'scopes must name at least one scope'],
    [
      { name: 'rclone', scopes: ['files:read', 'files:all'] },
      'scopes.1 must be one of files:read, files:write, account:read, account:write, admin',
    ],
    [{ ...rclone, expires_at: '2026-11-21T09:15:06Z' }, 'expires_at must be in the future'],
    ...['tomorrow', '2027-02-30T00:00:00Z', '2027-01-01', '2027-01-01T24:00:00Z'].map(
      (time): [object, string] => [
        { ...rclone, expires_at: time },
        'expires_at must be a time such as 2027-11-21T09:15:00Z, or null for never',
      ],
    ),
    [{ ...rclone, expires_at: '' }, 'expires_at is required'],
    [{ ...rclone, expires_at: 1 }, 'expires_at must be a string'],
  ])('refuses %j and says what is wrong', async (body, message) => {
    const answer = await create(body)
    expect(answer).toMatchObject({ code: 400, message: expect.stringContaining(message) })
    expect((await list()).total).toBe(0)
  })

  test('refuses a name that the user has, and takes that of another user', async () => {
    await site.addUser('bob', { password: PASSWORD })
    await create(rclone)
    expect(await create(rclone)).toEqual({
      code: 409,
      message: 'app password with the same name already exists',
      data: null,
    })
    expect(await create(rclone, await site.token('bob', PASSWORD))).toMatchObject({ code: 200 })
  })

  test('refuses the fifty-first, also when they come at once', async () => {
    for (let n = 0; n < 48; n++) await addAppPassword(site, ALICE, ['files:read'], { name: `${n}` })
    const answers = await Promise.all(
      ['a', 'b', 'c', 'd'].map((name) => create({ ...rclone, name })),
    )
    expect(answers.map(({ code }) => code).toSorted((a, b) => a - b)).toEqual([200, 200, 400, 400])
    expect(await create({ ...rclone, name: 'e' })).toEqual({
      code: 400,
      message: 'no more than 50 app passwords, delete one first',
      data: null,
    })
    expect((await list()).total).toBe(50)
  })

  test('needs a fresh session', async () => {
    site.now += 10 * MINUTE
    expect(await create(rclone)).toMatchObject({
      code: 403,
      message: 'Sign in again or confirm to do this',
    })
    expect((await list()).total).toBe(0)
    await site.post('/api/me/confirm', { password: PASSWORD }, { token: alice })
    expect(await create(rclone)).toMatchObject({ code: 200 })
  })

  test('gives the scope admin to admins alone', async () => {
    const wish = { name: 'script', scopes: ['admin'] }
    expect(await create(wish)).toMatchObject({ code: 403, message: 'You are not an admin' })
    expect((await list()).total).toBe(0)
    expect(await create(wish, await site.token('admin', ADMIN_PASSWORD))).toMatchObject({
      code: 200,
    })
  })
})

describe('POST /api/me/tokens/delete', () => {
  test('ends the app password at once', async () => {
    const { token, id } = await addAppPassword(site, ALICE, ['account:read'])
    expect(await site.get('/api/me', { token })).toMatchObject({ code: 200 })
    const path = `/api/me/tokens/delete?id=${id}`
    expect(await site.post(path, undefined, { token: alice })).toMatchObject({ code: 200 })
    expect(await site.get('/api/me', { token })).toEqual(unauthorised)
    expect(await kinds()).toContain('token_deleted account:read')
    expect(await site.post(path, undefined, { token: alice })).toEqual({
      code: 404,
      message: 'no such app password',
      data: null,
    })
  })

  test('deletes nobody else’s', async () => {
    const bob = await site.addUser('bob')
    const { id, token } = await addAppPassword(site, bob, ['account:read'])
    const path = `/api/me/tokens/delete?id=${id}`
    expect(await site.post(path, undefined, { token: alice })).toMatchObject({ code: 404 })
    expect(await site.get('/api/me', { token })).toMatchObject({ code: 200 })
    expect(
      await site.post('/api/me/tokens/delete?id=x', undefined, { token: alice }),
    ).toMatchObject({ code: 400, message: 'id format invalid' })
  })
})

describe('an operator', () => {
  test('lists and deletes the app passwords of any user', async () => {
    const admin = await site.token('admin', ADMIN_PASSWORD)
    const { id, token } = await addAppPassword(site, ALICE, ['account:read'])
    const listPath = `/api/admin/user/token/list?uid=${ALICE}`
    const { data } = await site.get(listPath, { token: admin })
    expect(data).toEqual(await list())
    const remove = (uid: number) =>
      site.post(`/api/admin/user/token/delete?uid=${uid}&id=${id}`, undefined, { token: admin })
    expect(await remove(1)).toMatchObject({ code: 404 })
    expect(await remove(ALICE)).toMatchObject({ code: 200 })
    expect(await site.get('/api/me', { token })).toEqual(unauthorised)
    expect(await site.get('/api/admin/user/token/list?uid=99', { token: admin })).toMatchObject({
      code: 404,
    })
    const [event] = await site.db
      .select()
      .from(auditEvents)
      .where(eq(auditEvents.kind, 'token_deleted'))
    expect(event).toMatchObject({ userId: ALICE, actorId: 1, detail: 'account:read' })
  })
})

const basic = (name: string, token: string) => `Basic ${btoa(`${name}:${token}`)}`

/** Every way to send an app password, and a few that are none. */
describe('an app password is found', () => {
  test('bare, after Bearer, and as the password of its owner', async () => {
    const { token } = await addAppPassword(site, ALICE, ['account:read'])
    for (const sent of [token, `Bearer ${token}`, `bearer   ${token}`, basic('alice', token)]) {
      const { code, data } = await site.get('/api/me', { token: sent })
      expect(code, sent.slice(0, 8)).toBe(200)
      expect(data.username).toBe('alice')
    }
  })

  test('under no other name, nor in a query string, nor as a cookie', async () => {
    const { token } = await addAppPassword(site, ALICE, ['account:read'])
    for (const name of ['admin', 'Alice', '', 'alice2'])
      expect(await site.get('/api/me', { token: basic(name, token) }), name).toEqual(unauthorised)
    const anonymous = await site.get(`/api/me?token=${token}&access_token=${token}`)
    expect(anonymous.message).toBe('Guest user is disabled, login please')
    const page = await site.fetch('GET', '/account', {
      headers: { Cookie: `session=${token}` },
    })
    expect(page.status).toBe(303)
  })

  test('in the round trip of the work, whatever the endpoint', async () => {
    const { token } = await addAppPassword(site, ALICE, ['account:read', 'account:write'])
    const { token: admin } = await addAppPassword(site, 1, ['admin'])
    const add = { title: 'laptop', key: KEY }
    const trips: [string, string, string, unknown?][] = [
      [token, 'GET', '/api/me'],
      [token, 'GET', '/api/me/sshkey/list'],
      [token, 'GET', '/api/me/sshkey/list?page=1&per_page=2'],
      [token, 'GET', '/api/me/sessions'],
      [token, 'GET', '/api/me/events'],
      [token, 'POST', '/api/me/sshkey/add', add],
      [token, 'POST', '/api/me/sshkey/delete?id=1'],
      [token, 'POST', '/api/me/sessions/delete_others'],
      [admin, 'GET', '/api/admin/user/list'],
      [admin, 'POST', '/api/admin/user/delete?id=3'],
    ]
    // The first use also notes itself, after the answer.
    await site.get('/api/me', { token })
    await site.get('/api/admin/user/list', { token: admin })
    await site.settle()
    for (const [credential, method, path, body] of trips) {
      const answer = await site.call(method, path, { token: credential, body })
      expect(answer.code, path).toBe(200)
      expect(site.meter.roundTrips, path).toBe(1)
    }
  })

  test.each(['lk_', `lk_${'0'.repeat(38)}`, `lk_${'0'.repeat(32)}0dawgH`, 'lk_nonsense'])(
    'only when its checksum is right, without a database call: %s',
    async (token) => {
      for (const sent of [token, `Bearer ${token}`, basic('alice', token)]) {
        expect(await site.get('/api/me', { token: sent })).toEqual(unauthorised)
        expect(site.meter.roundTrips).toBe(0)
      }
      await site.settle()
      expect(await site.db.select().from(auditEvents)).toHaveLength(1)
    },
  )
})

describe('an app password of scope account:write', () => {
  test('adds and deletes keys without confirming, and ends sessions', async () => {
    const { token } = await addAppPassword(site, ALICE, ['account:write'])
    site.now += HOUR
    const body = { title: 'laptop', key: KEY }
    expect(await site.post('/api/me/sshkey/add', body, { token })).toMatchObject({ code: 200 })
    expect(await site.post('/api/me/sshkey/add', body, { token })).toMatchObject({ code: 409 })
    expect(await site.post('/api/me/sshkey/delete?id=1', undefined, { token })).toMatchObject({
      code: 200,
    })
    const ended = await site.post('/api/me/sessions/delete_others', undefined, { token })
    expect(ended).toMatchObject({ code: 200 })
    expect(await site.get('/api/me', { token: alice })).toMatchObject({ code: 401 })
    expect(await kinds()).toEqual([
      'sign_in pwd',
      'token_created account:write',
      'key_added laptop',
      'key_deleted laptop',
      'session_ended all others',
    ])
  })

  test('touches nobody else’s', async () => {
    const bob = await site.addUser('bob', { password: PASSWORD })
    const session = await site.token('bob', PASSWORD)
    await site.post('/api/me/sshkey/add', { title: 'bob', key: KEY }, { token: session })
    const { token } = await addAppPassword(site, ALICE, ['account:write'])
    expect(await site.post('/api/me/sshkey/delete?id=1', undefined, { token })).toMatchObject({
      code: 404,
    })
    await site.post('/api/me/sessions/delete_others', undefined, { token })
    expect(await site.get('/api/me', { token: session })).toMatchObject({ data: { id: bob } })
  })

  test('says which scope another needs, and what needs a sign-in', async () => {
    const { token } = await addAppPassword(site, ALICE, ['files:read'])
    expect(await site.get('/api/me', { token })).toEqual({
      code: 403,
      message: 'this app password needs the scope account:read',
      data: null,
    })
    expect(await site.post('/api/me/update', { username: 'alice' }, { token })).toEqual({
      code: 403,
      message: 'an app password can not do this, sign in',
      data: null,
    })
  })
})

describe('an app password of scope admin', () => {
  test('makes every change of an admin, as that admin', async () => {
    const { token } = await addAppPassword(site, 1, ['admin'])
    site.now += HOUR
    const change = { id: ALICE, password: 'another-Passw0rd' }
    expect(await site.post('/api/admin/user/update', change, { token })).toMatchObject({
      code: 200,
    })
    expect(await site.get('/api/me', { token: alice })).toMatchObject({ code: 401 })
    const events = await site.db
      .select()
      .from(auditEvents)
      .where(eq(auditEvents.kind, 'password_reset'))
    expect(events).toMatchObject([{ userId: ALICE, actorId: 1 }])
  })

  test('ends with the role; the other app passwords stay', async () => {
    await site.addUser('root', { password: ADMIN_PASSWORD, role: 2 })
    const { token } = await addAppPassword(site, 1, ['admin', 'account:read'])
    const { token: reading } = await addAppPassword(site, 1, ['account:read'])
    await site.db.update(users).set({ role: 0 }).where(eq(users.id, 1))
    expect(await site.get('/api/admin/user/list', { token })).toMatchObject({
      code: 403,
      message: 'You are not an admin',
    })
    await site.db.update(users).set({ role: 2 }).where(eq(users.id, 1))
    const { changeUser } = await import('../../src/capabilities/users/manage-users.ts')
    const { COMMAND_LINE } = await import('../../src/core/access/operators.ts')
    await changeUser(site.deps, COMMAND_LINE, 1, { role: 0 })
    await changeUser(site.deps, COMMAND_LINE, 1, { role: 2 })
    expect(await site.get('/api/admin/user/list', { token })).toEqual(unauthorised)
    expect(await site.get('/api/me', { token: reading })).toMatchObject({ code: 200 })
    const [event] = await site.db
      .select()
      .from(auditEvents)
      .where(eq(auditEvents.kind, 'token_deleted'))
    expect(event).toMatchObject({ userId: 1, detail: 'admin account:read' })
  })

  test('stays when the demotion is refused', async () => {
    const admin = await site.token('admin', ADMIN_PASSWORD)
    const { token } = await addAppPassword(site, 1, ['admin'])
    const disable = { id: 1, disabled: true }
    expect(await site.post('/api/admin/user/update', disable, { token: admin })).toMatchObject({
      code: 400,
    })
    expect(await site.get('/api/admin/user/list', { token })).toMatchObject({ code: 200 })
  })
})

describe('an app password ends', () => {
  test('when it expires; a month later the nightly run deletes it', async () => {
    const { runNightly } = await import('../../src/app/nightly-run.ts')
    const { token } = await addAppPassword(site, ALICE, ['account:read'], { expiresAt: NOW + DAY })
    await addAppPassword(site, ALICE, ['account:write'], { expiresAt: null })
    site.now = NOW + DAY - 1
    expect(await site.get('/api/me', { token })).toMatchObject({ code: 200 })
    site.now = NOW + DAY
    expect(await site.get('/api/me', { token })).toEqual({
      code: 401,
      message: 'token is expired',
      data: null,
    })
    await runNightly(site.deps)
    expect(await site.db.select().from(appPasswords)).toHaveLength(2)
    site.now += 30 * DAY
    await runNightly(site.deps)
    expect(await site.db.select().from(appPasswords)).toMatchObject([{ name: 'account:write' }])
  })

  test('when the account is disabled, and enabling revives none', async () => {
    const admin = await site.token('admin', ADMIN_PASSWORD)
    const { token } = await addAppPassword(site, ALICE, ['account:read'])
    const set = (disabled: boolean) =>
      site.post('/api/admin/user/update', { id: ALICE, disabled }, { token: admin })
    expect(await set(true)).toMatchObject({ code: 200 })
    expect(await site.get('/api/me', { token })).toEqual(unauthorised)
    expect(await set(false)).toMatchObject({ code: 200 })
    expect(await site.get('/api/me', { token })).toEqual(unauthorised)
    expect(await kinds()).toContain('token_deleted account:read')
  })

  test('with its account', async () => {
    const admin = await site.token('admin', ADMIN_PASSWORD)
    const { token } = await addAppPassword(site, ALICE, ['account:read'])
    await site.post(`/api/admin/user/delete?id=${ALICE}`, undefined, { token: admin })
    expect(await site.get('/api/me', { token })).toEqual(unauthorised)
    expect(await site.db.select().from(appPasswords)).toEqual([])
  })

  test('with the end of everything, like every session', async () => {
    const other = await site.token('alice', PASSWORD)
    const { token } = await addAppPassword(site, ALICE, ['account:read'])
    const { token: admins } = await addAppPassword(site, 1, ['admin'])
    const path = '/api/me/sessions/delete_all'
    expect(await site.post(path, undefined, { token })).toMatchObject({ code: 403 })
    expect(await site.post(path, undefined, { token: alice })).toMatchObject({ code: 200 })
    for (const credential of [token, alice, other])
      expect(await site.get('/api/me', { token: credential })).toMatchObject({ code: 401 })
    expect(await site.get('/api/admin/user/list', { token: admins })).toMatchObject({ code: 200 })
    expect((await kinds()).slice(-2)).toEqual([
      'session_ended everything',
      'token_deleted account:read',
    ])
  })

  test('neither with a new password nor with the end of the other sessions', async () => {
    const { token } = await addAppPassword(site, ALICE, ['account:read'])
    await site.post('/api/me/sessions/delete_others', undefined, { token: alice })
    const change = { username: 'alice', password: 'another-Passw0rd' }
    await site.post('/api/me/update', change, { token: alice })
    expect(await site.get('/api/me', { token: alice })).toMatchObject({ code: 401 })
    expect(await site.get('/api/me', { token })).toMatchObject({ code: 200 })
  })
})

const use = async (token: string, address = '192.0.2.1') => {
  const answer = await site.get('/api/me', { token, headers: { 'CF-Connecting-IP': address } })
  await site.settle()
  return answer
}
const lastUse = async () => (await list()).content[0]

describe('the use of an app password', () => {
  test('is noted at most once an hour', async () => {
    const { token } = await addAppPassword(site, ALICE, ['account:read'])
    await use(token)
    expect(await lastUse()).toMatchObject({
      last_used_at: '2026-11-21T09:15:06.565+00:00',
      last_network: '192.0.2.1',
    })
    site.now += HOUR - 1
    await Promise.all(Array.from({ length: 5 }, () => use(token)))
    expect((await lastUse()).last_used_at).toBe('2026-11-21T09:15:06.565+00:00')
    site.now += 1
    await use(token)
    expect((await lastUse()).last_used_at).toBe('2026-11-21T10:15:06.565+00:00')
  })

  test('costs one written row in a thousand requests, also when they come at once', async () => {
    const { token } = await addAppPassword(site, ALICE, ['account:read'])
    let written = 0
    for (let n = 0; n < 20; n++) {
      await Promise.all(Array.from({ length: 5 }, () => use(token)))
      written += site.meter.rowsWritten
    }
    await site.settle()
    expect(written).toBeLessThanOrEqual(1)
    expect(await kinds()).toEqual(['sign_in pwd', 'token_created account:read'])
  })

  test('is an event from a network that the owner is not known from, once', async () => {
    const { token } = await addAppPassword(site, ALICE, ['account:read'], { name: 'rclone' })
    await use(token)
    for (let n = 0; n < 3; n++) {
      await Promise.all([use(token, '203.0.113.9'), use(token, '203.0.113.9')])
      await use(token)
    }
    expect(await kinds()).toEqual([
      'sign_in pwd',
      'token_created rclone',
      'token_used_elsewhere rclone',
    ])
    await site.fetch('POST', '/api/auth/login', {
      body: { username: 'alice', password: PASSWORD },
      headers: { 'CF-Connecting-IP': '203.0.113.10' },
    })
    await use(token, '203.0.113.10')
    expect(await kinds()).toHaveLength(4)
  })

  test('is an event from a network after whose sign-in the owner has secured the account', async () => {
    const { token } = await addAppPassword(site, ALICE, ['account:read'], { name: 'rclone' })
    site.now += MINUTE
    await site.fetch('POST', '/api/auth/login', {
      body: { username: 'alice', password: PASSWORD },
      headers: { 'CF-Connecting-IP': '203.0.113.9' },
    })
    const visitor = new Visitor(site)
    await visitor.signIn('alice', PASSWORD)
    await visitor.post('/account/security/check/done')
    site.now += MINUTE
    for (let n = 0; n < 3; n++) await use(token, '203.0.113.9')
    expect((await kinds()).filter((kind) => kind === 'token_used_elsewhere rclone')).toHaveLength(1)
  })

  test('makes no network known to the throttle', async () => {
    const { token } = await addAppPassword(site, ALICE, ['account:read'])
    await use(token, '203.0.113.9')
    for (let n = 0; n < 50; n++) {
      await site.fetch('POST', '/api/auth/login', {
        body: { username: 'alice', password: 'wrong' },
        headers: { 'CF-Connecting-IP': `198.51.100.${n}` },
      })
    }
    const signIn = await site.call('POST', '/api/auth/login', {
      body: { username: 'alice', password: PASSWORD },
      headers: { 'CF-Connecting-IP': '203.0.113.9' },
    })
    expect(signIn.code).toBe(429)
  })
})

const refusals = () =>
  site.db.select().from(auditEvents).where(eq(auditEvents.kind, 'sign_in_refused'))

describe('a wrong app password', () => {
  const wrong = `lk_${'0'.repeat(32)}0dawgh`
  const guess = async (count: number) => {
    for (let n = 0; n < count; n++) {
      expect(await site.get('/api/me', { token: wrong })).toEqual(unauthorised)
      await site.settle()
    }
  }

  test('blocks no password, of no account and no network', async () => {
    await guess(35)
    expect(await site.login('alice', PASSWORD)).toMatchObject({ code: 200 })
  })

  test('never keeps a right one out', async () => {
    const { token } = await addAppPassword(site, ALICE, ['account:read'])
    await guess(35)
    expect(await site.get('/api/me', { token })).toMatchObject({ code: 200 })
  })

  test('stands in the log apart from the wrong passwords of its network', async () => {
    for (let n = 0; n < 2; n++) {
      await guess(1)
      await site.login('nobody', 'wrong')
    }
    expect(await refusals()).toMatchObject([
      { detail: 'app password', times: 2 },
      { detail: 'credentials', times: 2 },
    ])
  })

  test('writes nothing more once its network, or the /48, has written its share of an hour', async () => {
    const from = async (network: string) => {
      await site.get('/api/me', { token: wrong, headers: { 'CF-Connecting-IP': network } })
      await site.settle()
      return site.meter.rowsWritten
    }
    const networks = ['2001:db8:1:1::1', '2001:db8:1:2::1']
    for (const network of networks)
      for (let n = 0; n < 30; n++) expect(await from(network)).toBeGreaterThan(0)
    for (const network of [...networks, '2001:db8:1:3::1']) expect(await from(network)).toBe(0)
    expect(await refusals()).toMatchObject([{ times: 30 }, { times: 30 }])
    expect(await from('192.0.2.1')).toBeGreaterThan(0)
    site.now += HOUR
    expect(await from(networks[0] ?? '')).toBeGreaterThan(0)
  })

  test('is one event for each network, and the log shows neither it nor any other secret', async () => {
    await guess(3)
    expect(await refusals()).toMatchObject([
      { userId: null, detail: 'app password', network: '192.0.2.1', times: 3 },
    ])
    expect(leakedSecrets()).toEqual([])
  })

  test('shows no cost', async () => {
    const response = await site.fetch('GET', '/api/me', { token: wrong })
    expect(response.headers.has('Server-Timing')).toBe(false)
    await site.settle()
  })
})
