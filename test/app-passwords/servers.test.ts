import { env } from 'cloudflare:workers'
import { eq } from 'drizzle-orm'
import { beforeEach, describe, expect, test } from 'vitest'
import * as fc from 'fast-check'
import { appPasswords, auditEvents, throttleCounters, users } from '../../schema/tables.ts'
import { headerText } from '../../src/capabilities/app-passwords/forward-auth.ts'
import { addServiceToken } from '../../src/core/access/service-tokens.ts'
import type { AppPasswordScope } from '../../src/core/access/scopes.ts'
import { addAppPassword } from '../support/app-passwords.ts'
import { CheapSite } from '../support/cheap-site.ts'
import { cheapHash } from '../support/cheap-hash.ts'
import { failingDb } from '../support/failing-d1.ts'
import { addGroup } from '../support/groups.ts'
import { loggedLines, rememberSecret } from '../support/log.ts'
import { prepared } from '../support/prepared.ts'
import { HOUR, NOW } from '../support/site.ts'

const PASSWORD = 'alice-Passw0rd'
const ALICE = 3
const EVERYTHING = 0xffff
/** Bits 0, 1, 8, 10 and 12. */
const READING = 0b1_0101_0000_0011
const DAY = 24 * HOUR

let site: CheapSite
let session: string
let service: string
let hashes = 0

const arrange = prepared(async (arranged) => {
  await arranged.addFirstUsers()
  await arranged.addUser('alice', { password: PASSWORD, permission: EVERYTHING })
  const token = await arranged.token('alice', PASSWORD)
  const server = await addServiceToken(arranged.deps, 'files', 'sftp', 'introspect')
  return { token, server: server ?? '' }
})

beforeEach(async () => {
  site = new CheapSite({
    hashPassword: (digest, salt) => {
      hashes += 1
      return cheapHash(digest, salt)
    },
  })
  const { token, server } = await arrange(site)
  session = token
  service = server
  rememberSecret(service)
  hashes = 0
})

const appPassword = async (...scopes: AppPasswordScope[]) =>
  (await addAppPassword(site, ALICE, scopes)).token
const setAlice = (columns: Partial<typeof users.$inferInsert>) =>
  site.db.update(users).set(columns).where(eq(users.id, ALICE))

async function external(password: string, protocol = 'DAV', username = 'alice') {
  const response = await site.fetch('POST', '/api/sftp/external_auth', {
    token: `Bearer ${service}`,
    body: { username, password, protocol, ip: '203.0.113.9' },
  })
  const { username: admitted, permissions } = await response.json<{
    username: string
    permissions?: { '/': string[] }
  }>()
  return admitted === '' ? 'refused' : permissions?.['/'].join()
}

describe('POST /api/sftp/external_auth', () => {
  test.each([
    [['files:read'], 'list,download'],
    [['files:write'], '*'],
    [['files:read', 'files:write'], '*'],
    [['account:read', 'account:write'], 'refused'],
  ] as const)('gives an app password of %j: %s', async (scopes, access) => {
    const token = await appPassword(...scopes)
    // The first use notes itself, after the answer.
    await external(token)
    await site.settle()
    for (const protocol of ['DAV', 'SSH', 'FTP']) {
      expect(await external(token, protocol)).toBe(access)
      expect(site.meter.roundTrips).toBe(1)
    }
    expect(await external(token, 'HTTP')).toBe('refused')
    expect(hashes).toBe(0)
  })

  test('gives no more than the user may', async () => {
    const token = await appPassword('files:write')
    await setAlice({ permission: READING })
    expect(await external(token)).toBe('list,download')
    await setAlice({ permission: 0 })
    expect(await external(token)).toBe('refused')
    expect(loggedLines('"detail":"permission"').length).toBeGreaterThan(0)
  })

  test('takes it with two-step verification on, and says in the log what to do about the password', async () => {
    const token = await appPassword('files:read')
    await site.enrol(session)
    hashes = 0
    expect(await external(PASSWORD)).toBe('refused')
    expect(loggedLines('two-factor, make an app password')).toHaveLength(1)
    expect(hashes).toBe(1)
    expect(await external(token)).toBe('list,download')
    expect(hashes).toBe(1)
  })

  test('lets nobody else in with it, and nobody once it has ended', async () => {
    const { token, id } = await addAppPassword(site, ALICE, ['files:read'], {
      expiresAt: NOW + DAY,
    })
    for (const name of ['admin', 'Alice', '', '../alice', 'guest'])
      expect(await external(token, 'DAV', name), name).toBe('refused')
    expect(await external(token)).toBe('list,download')
    site.now += DAY
    expect(await external(token)).toBe('refused')
    site.now -= DAY
    await site.post(`/api/me/tokens/delete?id=${id}`, undefined, { token: session })
    expect(await external(token)).toBe('refused')
    await setAlice({ disabled: true })
    expect(await external(await appPassword('files:read').catch(() => token))).toBe('refused')
    expect(hashes).toBe(0)
  })

  test('leaves SFTPGo nothing to remember', async () => {
    const response = await site.fetch('POST', '/api/sftp/external_auth', {
      token: `Bearer ${service}`,
      body: { username: 'alice', password: await appPassword('files:read'), protocol: 'DAV' },
    })
    expect(await response.text()).not.toContain('external_auth_cache_time')
  })

  test('refuses a wrong checksum without a database call, and does not count it', async () => {
    const token = await appPassword('files:read')
    const broken = token.slice(0, -1) + (token.endsWith('0') ? '1' : '0')
    expect(await external(broken)).toBe('refused')
    expect(site.meter.roundTrips).toBe(0)
    await site.settle()
    expect(await site.db.select().from(throttleCounters)).toHaveLength(2)
  })

  test('counts a wrong one against the network of the client', async () => {
    expect(await external(`lk_${'0'.repeat(32)}0dawgh`)).toBe('refused')
    await site.settle()
    const rows = await site.db.select().from(throttleCounters)
    expect(rows.find(({ key }) => key === 'appPassword/203.0.113.9')).toMatchObject({ failures: 1 })
    expect(hashes).toBe(0)
  })

  test('takes an account password that only begins like an app password', async () => {
    await site.addUser('odd', { password: 'lk_my-Passw0rd', permission: EVERYTHING })
    expect(await external('lk_my-Passw0rd', 'DAV', 'odd')).toBe('*')
  })

  test('asks for a service token all the same', async () => {
    service = 'latchkey_wrong'
    const response = await site.fetch('POST', '/api/sftp/external_auth', {
      token: service,
      body: { username: 'alice', password: await appPassword('files:read'), protocol: 'DAV' },
    })
    expect(response.status).toBe(401)
  })
})

const ask = (form: Record<string, string> | string, token = `Bearer ${service}`) =>
  site.fetch('POST', '/oauth/introspect', {
    token,
    body: typeof form === 'string' ? form : new URLSearchParams(form).toString(),
    headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
  })
const introspect = async (token: string) => (await ask({ token })).json()

describe('POST /oauth/introspect', () => {
  test('describes an app password, with the permission that its scopes leave', async () => {
    const token = await appPassword('files:read', 'account:read')
    await introspect(token)
    await site.settle()
    const response = await ask({ token, token_type_hint: 'access_token' })
    expect(response.status).toBe(200)
    expect(response.headers.get('Cache-Control')).toBe('no-store')
    expect(await response.json()).toEqual({
      active: true,
      sub: await site.subOf(3),
      username: 'alice',
      scope: 'files:read account:read',
      exp: Math.floor((NOW + 365 * DAY) / 1000),
      iat: Math.floor(NOW / 1000),
      token_type: 'Bearer',
      base_path: '/',
      permission: READING,
      role: 0,
      groups: ['user'],
    })
    expect(site.meter.roundTrips).toBe(1)
    const { token: eternal } = await addAppPassword(site, ALICE, ['account:write'], {
      expiresAt: null,
    })
    const answer = await introspect(eternal)
    expect(answer).toMatchObject({ active: true, permission: 0 })
    expect(answer).not.toHaveProperty('exp')
  })

  test('describes the token of a session', async () => {
    expect(await introspect(session)).toEqual({
      active: true,
      sub: await site.subOf(3),
      username: 'alice',
      scope: 'files:read files:write account:read account:write',
      exp: Math.floor(NOW / 1000) + 48 * 3600,
      iat: Math.floor(NOW / 1000),
      token_type: 'Bearer',
      base_path: '/',
      permission: EVERYTHING,
      role: 0,
      groups: ['user'],
    })
    expect(site.meter.roundTrips).toBe(1)
  })

  test('names the groups of the user', async () => {
    await addGroup(site, 'finance', ALICE)
    await addGroup(site, 'hr')
    const token = await appPassword('account:read')
    for (const shown of [session, token])
      expect(await introspect(shown)).toMatchObject({ groups: ['user', 'finance'] })
    await setAlice({ role: 2 })
    expect(await introspect(session)).toMatchObject({ groups: ['admin', 'finance'] })
  })

  test('says only that a token is not active, whatever the reason', async () => {
    const { token: expired } = await addAppPassword(site, ALICE, ['files:read'], {
      expiresAt: NOW + 1,
    })
    const token = await appPassword('files:write')
    await site.get('/api/auth/logout', { token: session })
    site.now += 1
    const inactive = { active: false }
    for (const text of [expired, session, service, 'x', `lk_${'0'.repeat(32)}0dawgh`, 'lk_'])
      expect(await introspect(text)).toEqual(inactive)
    await setAlice({ disabled: true })
    expect(await introspect(token)).toEqual(inactive)
    await site.settle()
    const refused = await site.db
      .select()
      .from(auditEvents)
      .where(eq(auditEvents.kind, 'sign_in_refused'))
    expect(refused).toEqual([])
  })

  test('needs a service token of its scope, and says nothing about the token without', async () => {
    const token = await appPassword('files:read')
    const sftp = (await addServiceToken(site.deps, 'sftp only', 'sftp')) ?? ''
    const texts = new Set<string>()
    for (const credential of ['', 'Bearer', session, token, `Bearer ${sftp}`, 'Basic eDp4']) {
      for (const asked of [token, 'x']) {
        const response = await ask({ token: asked }, credential)
        expect(response.status, credential.slice(0, 8)).toBe(401)
        expect(response.headers.get('WWW-Authenticate')).toBe('Basic realm="Latchkey"')
        expect(response.headers.get('Cache-Control')).toBe('no-store')
        texts.add(await response.text())
      }
    }
    expect(Array.from(texts)).toEqual(['{"error":"invalid_client"}'])
  })

  test('takes the service token in basic authentication, as OAuth clients encode it', async () => {
    const token = await appPassword('files:read')
    const encoded = service.replaceAll('_', '%5F').replaceAll('-', '%2D')
    for (const secret of [service, encoded]) {
      const answer = await ask({ token }, `Basic ${btoa(`files:${secret}`)}`)
      expect(await answer.json()).toMatchObject({ active: true })
    }
  })

  test('reads a form with one token, and nothing else', async () => {
    const token = await appPassword('files:read')
    for (const form of ['', 'token=', 'token_type_hint=x', `token=${token}&token=${token}`]) {
      const response = await ask(form)
      expect([response.status, await response.json()]).toEqual([400, { error: 'invalid_request' }])
    }
    const json = await site.fetch('POST', `/oauth/introspect?token=${token}`, {
      token: `Bearer ${service}`,
      body: { token },
      headers: { 'Content-Type': 'application/json' },
    })
    expect([json.status, await json.json()]).toEqual([400, { error: 'invalid_request' }])
    const large = await ask(`token=${'x'.repeat(65 * 1024)}`)
    expect(large.status).toBe(413)
  })

  test('notes the use, of which it knows no network', async () => {
    await introspect(await appPassword('files:read'))
    await site.settle()
    const [row] = await site.db.select().from(appPasswords)
    expect(row).toMatchObject({ lastUsedAt: NOW, lastNetwork: null })
    const kinds = (await site.db.select().from(auditEvents)).map(({ kind }) => kind)
    expect(kinds).not.toContain('token_used_elsewhere')
  })
})

const basic = (token: string, name = 'alice') => `Basic ${btoa(`${name}:${token}`)}`
const forward = (token: string, headers: Record<string, string> = {}, query = '') =>
  site.fetch('GET', `/api/forward_auth${query}`, { token, headers })

describe('GET /api/forward_auth', () => {
  const reading = { 'X-Original-Method': 'GET' }
  const writing = { 'X-Original-Method': 'PUT' }

  test('names the user to the server behind the proxy', async () => {
    await setAlice({ basePath: '/home/été' })
    const token = await appPassword('files:read')
    await forward(basic(token), reading)
    await site.settle()
    for (const sent of [basic(token), `Bearer ${token}`, token]) {
      const response = await forward(sent, reading)
      expect(response.status).toBe(200)
      expect(await response.text()).toBe('')
      expect(response.headers.get('Remote-User')).toBe('alice')
      expect(response.headers.get('Remote-Groups')).toBe('user')
      expect(response.headers.get('X-Base-Path')).toBe('/home/%C3%A9t%C3%A9')
      expect(response.headers.get('X-Permission')).toBe(String(READING))
      expect(site.meter.roundTrips).toBe(1)
    }
    expect(hashes).toBe(0)
  })

  test('takes the token of a session, and names admins', async () => {
    await setAlice({ role: 2 })
    const response = await forward(`Bearer ${session}`, writing)
    expect(response.headers.get('Remote-Groups')).toBe('admin')
    expect(response.headers.get('X-Permission')).toBe(String(EVERYTHING))
  })

  test('names the groups, encoded for a header', async () => {
    await addGroup(site, 'finance', ALICE)
    await addGroup(site, '100 % Müller', ALICE)
    await addGroup(site, 'hr')
    const response = await forward(`Bearer ${session}`, reading)
    expect(response.headers.get('Remote-Groups')).toBe('user,100 %25 M%C3%BCller,finance')
    expect(site.meter.roundTrips).toBe(1)
  })

  test.each([
    ['?allowed_groups=finance,hr', 200],
    ['?allowed_groups=hr,%20FINANCE', 200],
    ['?allowed_groups=user', 200],
    ['?allowed_groups=hr', 403],
    ['?allowed_groups=admin', 403],
    ['?allowed_groups=nobody', 403],
    ['?allowed_groups=fin', 403],
    ['?allowed_groups=', 403],
    ['?allowed_groups=,', 403],
    ['?allowed_groups', 403],
    // The first counts, as in every query.
    ['?allowed_groups=hr&allowed_groups=finance', 403],
    ['?allowed_group=hr', 403],
    ['?Allowed_Groups=hr', 403],
    ['?allowed-groups=hr', 403],
    ['?allowed_groups[]=hr', 403],
    ['?allowedGroups=hr&allowed_groups=finance', 403],
    ['?group=hr', 403],
    ['?groups=finance', 403],
    ['?allowed_groups=finance&groups=hr', 403],
    ['?=', 403],
    ['?&', 200],
  ])('lets members of the allowed groups through only: %s, %i', async (query, status) => {
    await addGroup(site, 'Finance', ALICE)
    await addGroup(site, 'hr')
    const token = await appPassword('files:read')
    for (const sent of [basic(token), `Bearer ${session}`]) {
      const response = await forward(sent, reading, query)
      expect(response.status).toBe(status)
      expect(response.headers.has('Remote-User')).toBe(status === 200)
    }
  })

  // Caddy asks with the query of the visitor, where its own address has none.
  test.each([
    ['?sort=name', '/a?sort=name', 200],
    ['?x=a b&&%79=%zz&u=ü', '/a?x=a%20b&&%79=%zz&u=%C3%BC', 200],
    ['?allowed_groups=hr', '/a?allowed_groups=hr', 403],
    ['?sort=name', '/a?sort=nam', 403],
    ['?sort=name', '/sort=name', 403],
    ['?sort=name', '', 403],
    // Perhaps a slip of the operator, which the visitor repeats.
    ['?groups=finance', '/a?groups=finance', 403],
    ['?x=1&Allowed%2DGROUP=hr', '/a?x=1&Allowed%2DGROUP=hr', 403],
    ['?%20allowed=1', '/?%20allowed=1', 403],
    ['?g%EF%BD%92oup=1', '/?g%EF%BD%92oup=1', 403],
  ])('takes what the visitor asked for no parameter: %s, %s, %i', async (query, uri, status) => {
    await addGroup(site, 'finance', ALICE)
    const token = await appPassword('files:read')
    const headers = { 'X-Forwarded-Method': 'GET', 'X-Forwarded-Uri': uri }
    expect((await forward(basic(token), headers, query)).status).toBe(status)
  })

  // nginx passes the headers of the visitor on, and appends nothing.
  test.each([
    { 'X-Original-Method': 'GET' },
    { 'X-Original-Method': 'GET', 'X-Forwarded-Method': 'GET' },
    {},
  ])(
    'takes nothing for what the visitor asked for from a proxy that is not Caddy: %j',
    async (sent) => {
      const headers = { ...sent, 'X-Forwarded-Uri': '/a?sort=name' }
      expect((await forward(`Bearer ${session}`, headers, '?sort=name')).status).toBe(403)
    },
  )

  test('refuses a user of another group before the rest', async () => {
    const refused = await forward(`Bearer ${session}`, {}, '?allowed_groups=hr')
    expect(await refused.json()).toMatchObject({
      code: 403,
      message: 'your account is in none of the groups that may do this',
    })
    expect((await forward('', reading, '?allowed_groups=hr')).status).toBe(401)
  })

  test.each([
    ['files:read', 'GET', 200],
    ['files:read', 'HEAD', 200],
    ['files:read', 'OPTIONS', 200],
    ['files:read', 'PROPFIND', 200],
    ['files:read', 'PUT', 403],
    ['files:read', 'COPY', 403],
    ['files:read', 'get', 403],
    ['files:write', 'GET', 200],
    ['files:write', 'PUT', 200],
    ['files:write', 'LOCK', 200],
    ['account:read', 'GET', 403],
    ['admin', 'GET', 403],
  ] as const)('answers an app password of %s for %s: %i', async (scope, method, status) => {
    await setAlice({ role: 2 })
    const token = await appPassword(scope)
    for (const name of ['X-Original-Method', 'X-Forwarded-Method'])
      expect((await forward(basic(token), { [name]: method })).status).toBe(status)
  })

  test.each([
    [{}, 403],
    [{ 'X-Original-Method': 'GET', 'X-Forwarded-Method': 'GET' }, 200],
    [{ 'X-Original-Method': 'GET', 'X-Forwarded-Method': 'PUT' }, 403],
    [{ 'X-Original-Method': 'PUT', 'X-Forwarded-Method': 'GET' }, 403],
    [{ 'X-Original-Method': '', 'X-Forwarded-Method': 'GET' }, 403],
    [{ 'X-Original-Method': 'GET, GET' }, 403],
    [{ 'X-Original-Method': 'GET', 'X-HTTP-Method-Override': 'PUT' }, 403],
    [{ 'X-Forwarded-Method': 'GET', 'X-HTTP-Method': 'DELETE' }, 403],
    [{ 'X-Forwarded-Method': 'GET', 'X-Method-Override': '' }, 403],
  ])(
    'takes a request with %j for a write unless the method is certain: %i',
    async (headers, status) => {
      const token = await appPassword('files:read')
      expect((await forward(basic(token), headers)).status).toBe(status)
    },
  )

  test('holds to the permission of the user', async () => {
    const token = await appPassword('files:write')
    await setAlice({ permission: READING })
    expect((await forward(basic(token), reading)).status).toBe(200)
    const refused = await forward(basic(token), writing)
    expect([refused.status, await refused.json()]).toEqual([
      403,
      { code: 403, message: 'your account may not do this with files', data: null },
    ])
    await setAlice({ permission: 0 })
    expect((await forward(basic(token), reading)).status).toBe(403)
  })

  test('asks everybody else for a password', async () => {
    await site.db.update(users).set({ disabled: false }).where(eq(users.role, 1))
    const token = await appPassword('files:read')
    for (const sent of [
      '',
      'Bearer',
      basic(PASSWORD),
      basic(token, 'admin'),
      // A session has no user name to compare.
      basic(session),
      basic(session, 'admin'),
      basic(`${token}x`),
      service,
      basic('', ''),
    ]) {
      const response = await forward(sent, reading)
      expect(response.status, sent.slice(0, 8)).toBe(401)
      expect(response.headers.get('WWW-Authenticate')).toBe(
        'Basic realm="Latchkey", charset="UTF-8"',
      )
      expect(response.headers.has('Remote-User')).toBe(false)
    }
    expect(hashes).toBe(0)
  })

  const MISSPELT = [
    '/api//forward_auth',
    '/api/Forward-Auth',
    '/api/forward',
    '/api/forward/auth',
    '/api/forwarded_auth',
  ]

  // A slash too many in the settings of a proxy must not let everybody in.
  test.each(['/', '/x', '//', '%2F', '/../forward-auth', '-'])(
    'answers 404 as the status at a path that only resembles it: %s',
    async (rest) => {
      for (const path of [`/api/forward_auth${rest}`, ...MISSPELT]) {
        const response = await site.fetch('GET', path, { token: '' })
        expect([path, response.status]).toEqual([path, 404])
      }
    },
  )
})

test('while D1 is down, servers are told so, and let nobody in', async () => {
  const token = await appPassword('files:write')
  const body = { username: 'alice', password: token, protocol: 'DAV', ip: '203.0.113.9' }
  const up = site
  site = new CheapSite({ db: failingDb(1) })
  const answers = [
    await site.fetch('POST', '/api/sftp/external_auth', { token: `Bearer ${service}`, body }),
    await ask({ token }),
    await ask({ token: session }),
    await forward(basic(token), { 'X-Original-Method': 'GET' }),
    await forward(`Bearer ${session}`, { 'X-Original-Method': 'GET' }),
  ]
  expect(answers.map(({ status }) => status)).toEqual([503, 503, 503, 503, 503])
  for (const { headers } of answers) expect(headers.has('Remote-User')).toBe(false)
  site = up
  expect(await external(token)).toBe('*')
})

describe('headerText', () => {
  test.each([
    ['alice', 'alice'],
    ['a b', 'a b'],
    [' a ', '%20a%20'],
    ['100%', '100%25'],
    ['Zoë', 'Zo%C3%AB'],
    ['小明', '%E5%B0%8F%E6%98%8E'],
    ['a\u0007b', 'a%07b'],
  ])('writes %j as %j', (text, header) => {
    expect(headerText(text)).toBe(header)
  })

  test('is visible ASCII that decodes to the same text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        const header = headerText(text)
        expect(header).toMatch(/^(?:[!-~](?:[ -~]*[!-~])?)?$/)
        expect(decodeURIComponent(header)).toBe(text)
      }),
    )
  })
})

test('the index of reported networks is used', async () => {
  const plan = await env.DB.prepare(
    `explain query plan select id from audit_events where user_id = 1 and (kind = 'token_used_elsewhere' and (network = 'x' and at > 1))`,
  ).all<{ detail: string }>()
  expect(plan.results[0]?.detail).toContain('audit_events_elsewhere')
})
