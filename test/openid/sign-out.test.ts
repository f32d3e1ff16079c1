import { eq } from 'drizzle-orm'
import { beforeEach, describe, expect, test } from 'vitest'
import { openidGrants, openidLogouts, users } from '../../schema/tables.ts'
import { addServiceToken } from '../../src/core/access/service-tokens.ts'
import { runFrequently } from '../../src/app/frequent-run.ts'
import { runNightly } from '../../src/app/nightly-run.ts'
import { CheapSite } from '../support/cheap-site.ts'
import { rememberSecret } from '../support/log.ts'
import {
  AFTER_LOGOUT,
  claimsIn,
  codeFor,
  exchangeCode,
  FORM,
  ISSUER,
  basic,
  PASSWORD,
  refreshWith,
  type Registered,
  register,
  signedIn,
  type TokenAnswer,
  userInfo,
  withClient,
} from '../support/openid.ts'
import { ADMIN_PASSWORD, HOUR, MINUTE } from '../support/site.ts'
import { refreshTo, Visitor } from '../support/visitor.ts'
import { watchedD1 } from '../support/watched-d1.ts'

const KEY = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIBjQRyTlU4cld7OPfwFKhQ+hd143RUS0f1vexnaArvBD'
const LOGOUT_URI = 'https://files.example.org/logout'
const ALICE = 3

let site: CheapSite
let client: Registered
let alice: Visitor
let sent: { url: string; token: string }[]
let status: number

beforeEach(async () => {
  sent = []
  status = 200
  site = new CheapSite({
    sendOut: async (url, { body }) => {
      const token = body instanceof URLSearchParams ? (body.get('logout_token') ?? '') : ''
      sent.push({ url, token })
      return new Response(null, { status })
    },
  })
  await withClient(site)
  client = await register(site, { name: 'channel', logoutUri: LOGOUT_URI })
  alice = await signedIn(site)
})

async function grant(scope = 'openid'): Promise<TokenAnswer> {
  return exchangeCode(site, client, await codeFor(alice, client, { scope }))
}

async function isAlive({ access_token: token }: TokenAnswer): Promise<boolean> {
  return (await userInfo(site, token)).status === 200
}

const cookie = () => alice.cookies.get('session') ?? ''
const admin = () => site.token('admin', ADMIN_PASSWORD)
const pending = () => site.db.select().from(openidLogouts)

/** How a session of alice ends, and whether a refresh token outlives it. */
const ENDINGS: [string, boolean, () => Promise<unknown>][] = [
  ['the sign-out of the page', true, () => alice.post('/account/sign-out')],
  ['the sign-out of the API', true, () => site.get('/api/auth/logout', { token: cookie() })],
  [
    'a new password',
    false,
    () =>
      site.post(
        '/api/me/update',
        { username: 'alice', password: 'another-Passw0rd', old_password: PASSWORD },
        { token: cookie() },
      ),
  ],
  [
    'everything ended',
    false,
    () => site.post('/api/me/sessions/delete_all', undefined, { token: cookie() }),
  ],
  [
    'disabling',
    false,
    async () => {
      const token = await admin()
      const { data } = await site.get(`/api/admin/user/get?id=${ALICE}`, { token })
      await site.post('/api/admin/user/update', { ...data, disabled: true }, { token })
    },
  ],
  [
    'a password set by an operator',
    false,
    async () => {
      const token = await admin()
      const { data } = await site.get(`/api/admin/user/get?id=${ALICE}`, { token })
      await site.post('/api/admin/user/update', { ...data, password: 'new-Passw0rd' }, { token })
    },
  ],
  [
    'deleting the account',
    false,
    async () =>
      site.post(`/api/admin/user/delete?id=${ALICE}`, undefined, { token: await admin() }),
  ],
]

describe.each(ENDINGS)('%s', (_, outlives, end) => {
  test('ends access tokens at once, and tells the client', async () => {
    const [first, second] = [await grant(), await grant('openid offline_access')]
    expect(await isAlive(first)).toBe(true)
    const sub = await site.subOf(ALICE)
    await end()
    expect([await isAlive(first), await isAlive(second)]).toEqual([false, false])
    const refreshed = await refreshWith(site, client, second.refresh_token)
    expect(refreshed.status).toBe(outlives ? 200 : 400)
    expect(await isAlive(refreshed)).toBe(outlives)
    expect(claimsIn(refreshed.id_token ?? first.id_token)['sid'] === undefined).toBe(outlives)
    await site.settle()
    expect(sent.map(({ url }) => url)).toEqual([LOGOUT_URI])
    const claims = claimsIn(sent[0]?.token ?? '')
    expect(claims).toMatchObject({
      iss: ISSUER,
      aud: client.clientId,
      sub,
      sid: claimsIn(first.id_token)['sid'],
      events: { 'http://schemas.openid.net/event/backchannel-logout': {} },
    })
    expect(claims).not.toHaveProperty('nonce')
    expect(await pending()).toEqual([])
  })
})

describe('a refresh token', () => {
  test('outlives a sign-out, but not a new password after it', async () => {
    const { refresh_token: token } = await grant('openid offline_access')
    await alice.post('/account/sign-out')
    const again = await refreshWith(site, client, token)
    expect(again.status).toBe(200)
    await site.db.update(users).set({ passwordChangedAt: site.now }).where(eq(users.id, ALICE))
    expect(await isAlive(again)).toBe(false)
    expect((await refreshWith(site, client, again.refresh_token)).status).toBe(400)
  })

  test('ends with everything, after the session', async () => {
    const { refresh_token: token } = await grant('openid offline_access')
    await alice.post('/account/sign-out')
    const session = await site.token('alice', PASSWORD)
    await site.post('/api/me/sessions/delete_all', undefined, { token: session })
    expect((await refreshWith(site, client, token)).status).toBe(400)
  })

  test('is not given without offline_access', async () => {
    expect(await grant('openid')).not.toHaveProperty('refresh_token')
  })

  test('ends with the role at a client for admins only', async () => {
    await site.db.update(users).set({ role: 2 }).where(eq(users.id, ALICE))
    client = await register(site, { name: 'admins', adminsOnly: true })
    const { refresh_token: token } = await grant('openid offline_access')
    await site.db.update(users).set({ role: 0 }).where(eq(users.id, ALICE))
    expect((await refreshWith(site, client, token)).status).toBe(400)
  })

  test('works when the session has expired', async () => {
    const first = await grant('openid offline_access')
    site.now += 49 * HOUR
    expect(await isAlive(first)).toBe(false)
    const second = await refreshWith(site, client, first.refresh_token)
    expect(second).toMatchObject({ status: 200, expires_in: 3600 })
    expect(await isAlive(second)).toBe(true)
  })
})

test('an access token ends with its session, though its hour is not over', async () => {
  site.now += 48 * HOUR - 10 * MINUTE
  const got = await grant()
  expect(got.expires_in).toBeLessThanOrEqual(600)
  site.now += 11 * MINUTE
  expect(await isAlive(got)).toBe(false)
})

describe('back-channel logout', () => {
  test('is tried again by the nightly run, and five times at most', async () => {
    status = 503
    await grant()
    await alice.post('/account/sign-out')
    await site.settle()
    expect(sent).toHaveLength(1)
    expect(await pending()).toHaveLength(1)
    for (let night = 0; night < 6; night++) {
      site.now += 24 * HOUR
      await runNightly(site.deps)
    }
    expect(sent).toHaveLength(5)
    expect(await pending()).toEqual([])
  })

  test('reaches a program that was restarting with the run every five minutes', async () => {
    status = 503
    await grant()
    await alice.post('/account/sign-out')
    await site.settle()
    status = 200
    site.now += 5 * MINUTE
    await runFrequently(site.deps)
    expect(sent).toHaveLength(2)
    expect(await pending()).toEqual([])
  })

  test('is tried again by the run every five minutes, but less and less often', async () => {
    status = 503
    await grant()
    await alice.post('/account/sign-out')
    await site.settle()
    const afterMinutes: number[] = []
    for (let minutes = 5; minutes <= 24 * 60; minutes += 5) {
      site.now += 5 * MINUTE
      const before = sent.length
      await runFrequently(site.deps)
      if (sent.length > before) afterMinutes.push(minutes)
    }
    expect(afterMinutes).toEqual([5, 25, 155, 1180])
  })

  test('is sent to the program whose code was used twice', async () => {
    const code = await codeFor(alice, client)
    const got = await exchangeCode(site, client, code)
    await exchangeCode(site, client, code)
    expect(await isAlive(got)).toBe(false)
    await site.settle()
    expect(sent.map(({ url }) => url)).toEqual([LOGOUT_URI])
    expect(await pending()).toEqual([])
  })

  test('is sent to the program whose refresh token was used twice', async () => {
    const { refresh_token: token } = await grant('openid offline_access')
    await refreshWith(site, client, token)
    await refreshWith(site, client, token)
    await site.settle()
    expect(sent.map(({ url }) => url)).toEqual([LOGOUT_URI])
  })

  test('is sent when the user takes the access from the program', async () => {
    await grant()
    const { status: answered } = await alice.post('/account/programs/remove', {
      id: client.clientId,
    })
    expect(answered).toBe(303)
    await site.settle()
    expect(sent.map(({ url }) => url)).toEqual([LOGOUT_URI])
  })

  test('costs nothing at a request that ends nothing', async () => {
    const statements: string[] = []
    const watching = new CheapSite({}, { DB: watchedD1((sql) => statements.push(sql)) })
    const token = cookie()
    const { code } = await watching.post(
      '/api/me/sshkey/add',
      { title: 'laptop', key: KEY },
      { token },
    )
    expect(code).toBe(200)
    await watching.settle()
    expect(statements.filter((sql) => sql.includes('openid_logouts'))).toEqual([])
    await watching.get('/api/auth/logout', { token })
    await watching.settle()
    expect(statements.filter((sql) => sql.includes('openid_logouts'))).toHaveLength(1)
  })

  test('goes to nobody when no program was signed in', async () => {
    await alice.post('/account/sign-out')
    await site.settle()
    expect(sent).toEqual([])
  })
})

async function revoke(token: string, by = client) {
  const response = await site.fetch('POST', '/oauth/revoke', {
    body: new URLSearchParams({ token }).toString(),
    headers: { ...FORM, ...basic(by) },
  })
  return response.status
}

describe('POST /oauth/revoke', () => {
  test('ends an access token, and with a refresh token everything', async () => {
    const first = await grant('openid offline_access')
    expect(await revoke(first.access_token)).toBe(200)
    expect(await isAlive(first)).toBe(false)
    const second = await refreshWith(site, client, first.refresh_token)
    expect(await isAlive(second)).toBe(true)
    expect(await revoke(second.refresh_token ?? '')).toBe(200)
    expect(await isAlive(second)).toBe(false)
  })

  test('ends everything with a refresh token that was replaced', async () => {
    const first = await grant('openid offline_access')
    const second = await refreshWith(site, client, first.refresh_token)
    const other = await register(site, { name: 'other' })
    expect(await revoke(first.refresh_token ?? '', other)).toBe(200)
    const guess = `${(first.refresh_token ?? '').slice(0, 26)}${'A'.repeat(65)}`
    expect(await revoke(guess)).toBe(200)
    expect(await isAlive(second)).toBe(true)
    expect(await revoke(first.refresh_token ?? '')).toBe(200)
    expect(await isAlive(second)).toBe(false)
    expect((await refreshWith(site, client, second.refresh_token)).error).toBe('invalid_grant')
  })

  test.each(['one of two refresh tokens', 'the only refresh token'])(
    'tells the program of no logout for %s, but later for the end of the session',
    async (which) => {
      const first = await grant('openid offline_access')
      const others = which === 'the only refresh token' ? [] : [await grant()]
      await revoke(first.refresh_token ?? '')
      await site.settle()
      await runFrequently(site.deps)
      expect(await pending()).toEqual([])
      expect(sent).toEqual([])
      expect(await isAlive(first)).toBe(false)
      expect((await refreshWith(site, client, first.refresh_token)).error).toBe('invalid_grant')
      expect(await Promise.all(others.map(isAlive))).toEqual(others.map(() => true))
      await alice.post('/account/sign-out')
      await site.settle()
      expect(sent.map(({ url }) => url)).toEqual([LOGOUT_URI])
    },
  )

  test('leaves nothing of a refresh token that has outlived its session', async () => {
    const { refresh_token: token } = await grant('openid offline_access')
    await alice.post('/account/sign-out')
    await revoke(token ?? '')
    expect(await site.db.select().from(openidGrants)).toEqual([])
  })

  test('answers 200 for an unknown token, and leaves those of other clients', async () => {
    const got = await grant()
    const other = await register(site, { name: 'other' })
    expect(await revoke(got.access_token, other)).toBe(200)
    expect(await revoke('unknown')).toBe(200)
    expect(await isAlive(got)).toBe(true)
    expect(await revoke(got.access_token, { ...client, secret: 'x' })).toBe(401)
    expect(await isAlive(got)).toBe(true)
  })
})

const endPath = (given: Record<string, string>) =>
  `/oauth/end_session?${new URLSearchParams(given).toString()}`

const isSignedIn = async (visitor: Visitor) => (await visitor.get('/account')).status === 200
const endPathBack = (hint: string) =>
  endPath({ id_token_hint: hint, post_logout_redirect_uri: AFTER_LOGOUT, state: 's' })

describe('/oauth/end_session', () => {
  test('with a genuine ID token signs out and leads back', async () => {
    const got = await grant()
    site.now += 2 * HOUR
    const back = { post_logout_redirect_uri: AFTER_LOGOUT, state: 's' }
    const { location } = await alice.get(endPath({ id_token_hint: got.id_token, ...back }))
    expect(location).toBe(`${AFTER_LOGOUT}?state=s`)
    expect((await alice.get('/account')).location).toMatch(/sign-in/)
  })

  test('asks when the ID token is of a session of another browser', async () => {
    const { id_token: hint } = await grant()
    const path = endPathBack(hint)
    await site.addUser('bob', { password: 'bob-Passw0rd' })
    const bob = await signedIn(site, 'bob', 'bob-Passw0rd')
    const sameUser = await signedIn(site)
    for (const visitor of [bob, sameUser, new Visitor(site)]) {
      const page = await visitor.get(path)
      expect({ status: page.status, to: page.location }).toEqual({ status: 200, to: null })
      expect(page.html).toContain('action="/oauth/end_session/confirm"')
    }
    expect(await isSignedIn(alice)).toBe(true)
    const page = await bob.get(path)
    const fields = Array.from(page.html.matchAll(/name="([^"]*)" value="([^"]*)"/g))
    const form = Object.fromEntries(fields.map(([, name = '', value = '']) => [name, value]))
    const done = await bob.post('/oauth/end_session/confirm', form)
    expect(done.headers.get('Refresh')).toBe(`0; url=${AFTER_LOGOUT}?state=s`)
    expect([await isSignedIn(alice), await isSignedIn(bob)]).toEqual([true, false])
  })

  test('does nothing for HEAD, and asks for what is no page in a window', async () => {
    const { id_token: hint } = await grant()
    const path = endPathBack(hint)
    const headers = { Cookie: `session=${cookie()}` }
    const head = await site.fetch('HEAD', path, { headers })
    expect(head.status).toBe(405)
    for (const dest of ['image', 'script', 'empty', 'iframe', 'style'])
      expect((await alice.get(path, { 'Sec-Fetch-Dest': dest })).location).toBeNull()
    expect(await isSignedIn(alice)).toBe(true)
    const { location } = await alice.get(path, { 'Sec-Fetch-Dest': 'document' })
    expect(location).toBe(`${AFTER_LOGOUT}?state=s`)
    expect(await isSignedIn(alice)).toBe(false)
  })

  test('needs no question when a program leads the browser here, which withholds the cookie', async () => {
    const { id_token: hint } = await grant()
    const path = endPathBack(hint)
    const from = { 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Dest': 'document' }
    const first = await new Visitor(site).get(path, from)
    expect({ status: first.status, to: first.location }).toEqual({ status: 200, to: null })
    const again = refreshTo(first.headers)
    const own = { 'Sec-Fetch-Site': 'same-origin', 'Sec-Fetch-Dest': 'document' }
    expect((await alice.get(again, own)).location).toBe(`${AFTER_LOGOUT}?state=s`)
    expect(await isSignedIn(alice)).toBe(false)
  })

  test('asks without one, and never leads to another address', async () => {
    const got = await grant()
    const forged = `${got.id_token.slice(0, -8)}AAAAAAAA`
    for (const hint of [{}, { id_token_hint: forged }, { id_token_hint: 'x.y.z' }]) {
      const page = await alice.get(endPath({ ...hint, post_logout_redirect_uri: AFTER_LOGOUT }))
      expect({ status: page.status, to: page.location }).toEqual({ status: 200, to: null })
    }
    expect(await isAlive(got)).toBe(true)
    const evil = endPath({
      id_token_hint: got.id_token,
      post_logout_redirect_uri: 'https://evil.example/',
    })
    expect((await alice.get(evil)).location).toBeNull()
    expect(await isAlive(got)).toBe(false)
  })

  test('leads nowhere with a hint that is not genuine, whatever the user says', async () => {
    const got = await grant()
    const [head, claims] = got.id_token.split('.')
    const unsigned = `${btoa('{"alg":"none"}').replaceAll('=', '')}.${claims}.`
    const changed = `${head}.${claims}.${'A'.repeat(342)}`
    const back = { post_logout_redirect_uri: AFTER_LOGOUT, state: 's' }
    for (const hint of [unsigned, changed, 'x.y.z'])
      for (const more of [{}, { client_id: client.clientId }]) {
        const visitor = await signedIn(site)
        const page = await visitor.get(endPath({ id_token_hint: hint, ...more, ...back }))
        expect(page.html).not.toContain(client.clientId)
        const fields = Array.from(page.html.matchAll(/name="([^"]*)" value="([^"]*)"/g))
        const form = Object.fromEntries(fields.map(([, name = '', value = '']) => [name, value]))
        const done = await visitor.post('/oauth/end_session/confirm', form)
        expect([done.status, done.headers.get('Refresh')]).toEqual([200, null])
      }
  })

  test('signs out when the user says yes, but not for another site', async () => {
    const got = await grant()
    const back = { client_id: client.clientId, post_logout_redirect_uri: AFTER_LOGOUT }
    const evil = { 'Sec-Fetch-Site': 'cross-site' }
    expect((await alice.post('/oauth/end_session/confirm', back, evil)).status).toBe(403)
    expect(await isAlive(got)).toBe(true)
    const done = await alice.post('/oauth/end_session/confirm', back)
    expect(done.headers.get('Refresh')).toBe(`0; url=${AFTER_LOGOUT}`)
    expect(await isAlive(got)).toBe(false)
  })
})

describe('POST /oauth/introspect', () => {
  test.each(['introspect', 'token', 'revoke', 'userinfo'])(
    'and /oauth/%s: pages of other origins use what programs in a browser need',
    async (name) => {
      const allowed = name === 'introspect' ? null : '*'
      const headers = {
        Origin: 'https://page.example',
        'Access-Control-Request-Method': 'POST',
        'Access-Control-Request-Headers': 'authorization',
      }
      for (const method of ['OPTIONS', 'POST']) {
        const answer = await site.fetch(method, `/oauth/${name}`, { headers })
        expect(answer.headers.get('Access-Control-Allow-Origin')).toBe(allowed)
      }
    },
  )

  test('knows access tokens of programs', async () => {
    const service = (await addServiceToken(site.deps, 'files', 'introspect')) ?? ''
    rememberSecret(service)
    const got = await grant('openid profile')
    const introspect = async () => {
      const response = await site.fetch('POST', '/oauth/introspect', {
        token: `Bearer ${service}`,
        body: new URLSearchParams({ token: got.access_token }).toString(),
        headers: FORM,
      })
      return response.json()
    }
    const granted = await introspect()
    expect(granted).toMatchObject({
      aud: client.clientId,
      active: true,
      client_id: client.clientId,
      sub: await site.subOf(ALICE),
      username: 'alice',
      scope: 'openid profile',
      permission: 0,
    })
    expect(granted).not.toHaveProperty('role')
    expect(granted).not.toHaveProperty('base_path')
    expect(site.meter.roundTrips).toBe(1)
    await alice.post('/account/sign-out')
    expect(await introspect()).toEqual({ active: false })
  })
})
