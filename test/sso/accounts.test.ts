import { eq, sql } from 'drizzle-orm'
import { beforeEach, describe, expect, test } from 'vitest'
import {
  auditEvents,
  identities,
  passkeys,
  reservedNames,
  sessions,
  users,
} from '../../schema/tables.ts'
import { BROWSER, ISSUER, passProvider, type Person } from '../support/identity-provider.ts'
import { prepared } from '../support/prepared.ts'
import { ADMIN_PASSWORD, HOUR, MINUTE } from '../support/site.ts'
import { SsoSite } from '../support/sso-site.ts'
import { alertIn, problemAt, refreshTo, type Seen, textOf, Visitor } from '../support/visitor.ts'

const PASSWORD = 'alice-Passw0rd'
const TOKEN = '/api/auth/sso?method=sso_get_token'
const ID = '/api/auth/sso?method=get_sso_id'
const OWN = '/account/sign-in/sso'
const STEP = '/account/sign-in/sso/step'
const SECURITY = '/account/security'
const ALICE_SIGN_IN = { username: 'alice', password: PASSWORD }
const ALICE: Person = { sub: '4711', name: 'Alice Doe' }

let site: SsoSite
let visitor: Visitor
let aliceId: number

const setUp = prepared(async (arranged: SsoSite) => {
  await arranged.addFirstUsers()
  const id = await arranged.addUser('alice', { password: PASSWORD })
  await arranged.setUp()
  return id
})

beforeEach(async () => {
  site = new SsoSite()
  aliceId = await setUp(site)
  visitor = new Visitor(site)
})

const pass = (start: string, person = ALICE) => passProvider(site.providers, visitor, start, person)

/** Alice, whom the provider has just asked for her password. */
const justSignedIn = () => ({ ...ALICE, auth_time: Math.floor(site.now / 1000) })

function link(userId = aliceId, subject = ALICE.sub) {
  const names = { platform: 'OIDC', name: 'Alice Doe', linkedBy: 'user' }
  return site.db
    .insert(identities)
    .values({ issuer: ISSUER, subject, userId, ...names, linkedAt: site.now })
}

function messageIn({ html }: Seen) {
  const [, json] = /data-message="([^"]*)"/.exec(html) ?? []
  return json === undefined ? undefined : JSON.parse(json.replaceAll('&quot;', '"'))
}

const rows = async () => ({
  identities: await site.db.select().from(identities),
  sessions: await site.db.select().from(sessions),
  users: await site.db.select().from(users),
})

const kinds = async () =>
  (await site.db.select().from(auditEvents))
    .filter(({ kind }) => kind !== 'settings_changed')
    .map(({ kind, detail, userId }) => `${kind} ${detail} of ${userId}`)

describe('the sign-in page', () => {
  test('names the provider as an administrator does, also from the copy in KV', async () => {
    await site.setUp({ sso_name: 'Example & Co' })
    for (const isolate of [site, new SsoSite({ now: () => site.now + MINUTE })]) {
      const page = await new Visitor(isolate).get('/account/sign-in')
      expect(textOf(page.html)).toContain('Sign in with Example & Co')
    }
    const { data } = await site.get('/api/public/settings')
    expect(data).not.toHaveProperty('sso_name')
    await site.setUp({ sso_name: '' })
    const other = new Visitor(new SsoSite({ now: () => site.now + 5 * MINUTE }))
    expect(textOf((await other.get('/account/sign-in')).html)).toContain('Sign in with OpenID')
  })

  test('has a button while single sign-on is on, which leads back to the wanted page', async () => {
    const page = await visitor.get('/account/sign-in?next=/account/keys')
    expect(textOf(page.html)).toContain('Sign in with OpenID')
    expect(page.html).toContain('href="/account/sign-in/sso?next=/account/keys"')
    await link()
    const seen = await pass(`${OWN}?next=/account/keys`)
    expect(seen.headers.get('Refresh')).toBe('0; url=/account/keys')
    expect(messageIn(seen)).toBeUndefined()
    expect((await visitor.get('/account/keys')).status).toBe(200)
    for (const off of [{ sso_login_enabled: 'false' }, { sso_login_platform: '' }]) {
      await site.setUp(off)
      expect((await new Visitor(site).get('/account/sign-in')).html).not.toContain(OWN)
    }
  })

  test('leads back to itself when the provider is down', async () => {
    site.providers.mischief = {
      answers: { '/.well-known/openid-configuration': () => Promise.reject(new Error('down')) },
    }
    const seen = await visitor.get(OWN)
    expect(seen.status).toBe(503)
    expect(textOf(seen.html)).toContain('Signing in did not work The provider does not answer.')
    expect(seen.html).toContain('href="/account/sign-in"')
  })

  test('leads to no other site', async () => {
    await link()
    const seen = await pass(`${OWN}?next=https://evil.example.org`)
    expect(seen.headers.get('Refresh')).toBe('0; url=/account')
  })
})

/** What an operator can change after a sign-in at the provider has begun. */
const CHANGES: Record<string, Record<string, string>> = {
  'is turned off': { sso_login_enabled: 'false' },
  'has another platform': { sso_login_platform: 'Casdoor' },
  'has another client': { sso_client_id: 'other' },
  'has another issuer': { sso_endpoint_name: `${ISSUER}/other` },
}

describe.each(Object.entries(CHANGES))('what had begun before single sign-on %s', (_, change) => {
  test('signs nobody in with a code or a link, and links nothing', async () => {
    const secret = await enrolled()
    await pass(TOKEN)
    await site.setUp(change)
    const code = await visitor.post(`${OWN}/code`, { code: site.code(secret) })
    expect(messageIn(code)).toBeUndefined()
    expect(code.location).toMatch(/^\/account\/sign-in\?/)
    expect((await visitor.get(STEP)).location).toMatch(/^\/account\/sign-in\?/)

    await site.setUp()
    await site.addUser('bob', { password: PASSWORD })
    expect((await pass(TOKEN, { sub: 'new' })).location).toBe(STEP)
    const token = await site.token('bob', PASSWORD)
    await pass(ID, { sub: 'new' })
    const { length } = (await rows()).sessions
    await site.setUp(change)
    const linked = await visitor.post(`${OWN}/link`, { username: 'bob', password: PASSWORD })
    expect(linked.location).toMatch(/^\/account\/sign-in\?/)
    const body = { username: 'bob', password: '', sso_id: 'new' }
    expect(await update(token, body)).toMatchObject({ code: 403 })
    expect((await rows()).sessions).toHaveLength(length)
    expect((await rows()).identities).toHaveLength(1)
  })
})

async function enrolled() {
  await link()
  return site.enrol(await site.token('alice', PASSWORD))
}

describe('the second factor', () => {
  test('is asked for on our page, and the window then gets its token', async () => {
    const secret = await enrolled()
    const { location } = await pass(TOKEN)
    expect(location).toBe(STEP)
    const page = await visitor.get(STEP)
    expect(textOf(page.html)).toContain('OpenID has confirmed you. Now confirm that you are alice')
    expect(page.headers.get('Cross-Origin-Opener-Policy')).toBe(null)
    expect(page.headers.get('Content-Security-Policy')).toContain("default-src 'none'")
    const wrong = await visitor.post(`${OWN}/code`, { code: '000000' })
    expect(problemAt(wrong.html, 'code')).toBe(
      'This code is wrong or was already used. Wait for the next code.',
    )
    expect(messageIn(wrong)).toBeUndefined()
    const seen = await visitor.post(`${OWN}/code`, { code: site.code(secret) })
    const { token } = messageIn(seen)
    expect((await site.get('/api/me', { token })).data).toMatchObject({ username: 'alice' })
    expect((await rows()).sessions.at(-1)).toMatchObject({
      amr: expect.stringMatching(/^sso otp$|^pwd/),
    })
    expect(await kinds()).toContain(`sign_in OIDC: sso otp of ${aliceId}`)
    expect(await kinds()).toContain(`sign_in_refused code of ${aliceId}`)
    // The code is used up, and so is the step.
    expect((await visitor.post(`${OWN}/code`, { code: site.code(secret) })).location).toMatch(
      /^\/account\/sign-in\?done/,
    )
  })

  test('is limited like the codes of a password sign-in', async () => {
    const secret = await enrolled()
    await pass(TOKEN)
    for (let i = 0; i < 10; i++) await visitor.post(`${OWN}/code`, { code: '000000' })
    const right = await visitor.post(`${OWN}/code`, { code: site.code(secret) })
    expect(right.status).toBe(429)
    expect(messageIn(right)).toBeUndefined()
  })

  test('of the provider counts only when the operator says so', async () => {
    await enrolled()
    const strong = { ...ALICE, amr: ['pwd', 'mfa'] }
    expect((await pass(TOKEN, strong)).location).toBe(STEP)
    await site.setUp({ sso_trust_mfa: 'true' })
    expect((await pass(TOKEN)).location).toBe(STEP)
    expect((await pass(TOKEN, { ...ALICE, amr: ['pwd'] })).location).toBe(STEP)
    expect((await pass(TOKEN, { ...ALICE, amr: 'mfa' })).location).toBe(STEP)
    const { token } = messageIn(await pass(TOKEN, strong))
    await site.setUp({ require_second_factor: 'everybody' })
    expect((await site.get('/api/me/sshkey/list', { token })).code).toBe(200)
    expect((await rows()).sessions.map(({ amr }) => amr)).toContain('sso mfa')
  })

  test('that the site requires is missing in a session without one', async () => {
    await link()
    await site.setUp({ require_second_factor: 'everybody', sso_trust_mfa: 'true' })
    const { token } = messageIn(await pass(TOKEN, { ...ALICE, amr: ['pwd'] }))
    expect(await site.get('/api/me/sshkey/list', { token })).toMatchObject({ code: 403 })
  })

  test('is not asked for after ten minutes, nor for an identity that was unlinked', async () => {
    const secret = await enrolled()
    await pass(TOKEN)
    await site.db.delete(identities)
    expect((await visitor.get(STEP)).location).toMatch(/^\/account\/sign-in\?/)
    const code = await visitor.post(`${OWN}/code`, { code: site.code(secret) })
    expect(messageIn(code)).toBeUndefined()
    await link()
    await pass(TOKEN)
    site.now += 10 * MINUTE
    expect((await visitor.get(STEP)).location).toMatch(/^\/account\/sign-in\?/)
  })
})

describe('an identity that nobody has', () => {
  test('is linked by one sign-in with name and password', async () => {
    expect((await pass(TOKEN)).location).toBe(STEP)
    const page = await visitor.get(STEP)
    expect(textOf(page.html)).toContain(
      'No user here is linked with the OpenID account “Alice Doe”.',
    )
    const wrong = await visitor.post(`${OWN}/link`, {
      username: 'alice',
      password: 'wrong-Passw0rd',
    })
    expect(alertIn(wrong.html)).toBe('User name or password is wrong, or the account is disabled.')
    expect((await rows()).identities).toEqual([])
    const seen = await visitor.post(`${OWN}/link`, { username: 'alice', password: PASSWORD })
    expect(messageIn(seen)).toMatchObject({ token: expect.any(String) })
    expect((await rows()).identities).toMatchObject([
      { issuer: ISSUER, subject: '4711', userId: aliceId, linkedBy: 'user', name: 'Alice Doe' },
    ])
    expect(await kinds()).toContain(`identity_linked OIDC: Alice Doe of ${aliceId}`)
    expect(messageIn(await pass(TOKEN))).toMatchObject({ token: expect.any(String) })
  })

  test('signs in one user only when two browsers link it', async () => {
    await site.addUser('bob', { password: PASSWORD })
    await pass(TOKEN)
    const second = new Visitor(site)
    await passProvider(site.providers, second, TOKEN, ALICE)
    const third = new Visitor(site)
    await passProvider(site.providers, third, TOKEN, ALICE)
    const first = await visitor.post(`${OWN}/link`, ALICE_SIGN_IN)
    expect(messageIn(first)).toMatchObject({ token: expect.any(String) })
    const before = await rows()
    const refused = await second.post(`${OWN}/link`, { username: 'bob', password: PASSWORD })
    expect(refused.status).toBe(409)
    expect(messageIn(refused)).toBeUndefined()
    expect(await rows()).toEqual(before)
    expect(await kinds()).toHaveLength(2)
    // Linking it a second time is no mistake.
    const again = await third.post(`${OWN}/link`, ALICE_SIGN_IN)
    expect(messageIn(again)).toMatchObject({ token: expect.any(String) })
    expect((await rows()).identities).toHaveLength(1)
    expect(await kinds()).toHaveLength(3)
    expect((await rows()).users.find(({ id }) => id === aliceId)).toMatchObject({ ssoId: '4711' })
  })

  test('is linked once when two users link it at the same time', async () => {
    await site.addUser('bob', { password: PASSWORD })
    const second = new Visitor(site)
    await Promise.all([pass(TOKEN), passProvider(site.providers, second, TOKEN, ALICE)])
    await Promise.all([
      visitor.post(`${OWN}/link`, ALICE_SIGN_IN),
      second.post(`${OWN}/link`, { username: 'bob', password: PASSWORD }),
    ])
    const { identities: linked, sessions: begun } = await rows()
    expect(begun.map(({ userId }) => userId)).toEqual(linked.map(({ userId }) => userId))
    expect(linked).toHaveLength(1)
  })

  test('needs the code of its user as well', async () => {
    const secret = await site.enrol(await site.token('alice', PASSWORD))
    await pass(TOKEN)
    const first = await visitor.post(`${OWN}/link`, { username: 'alice', password: PASSWORD })
    expect(first.html).toContain('id="code"')
    expect((await rows()).identities).toEqual([])
    const fields = { username: 'alice', password: PASSWORD, code: site.code(secret) }
    expect(messageIn(await visitor.post(`${OWN}/link`, fields))).toMatchObject({
      token: expect.any(String),
    })
  })

  test('is not linked by a password alone where the site requires the passkey of its user', async () => {
    const key = { credentialId: 'AAAA', publicKey: '', algorithm: -7, signCount: 0 }
    const device = { backedUp: false, transports: '', aaguid: '', rpId: 'localhost', name: 'phone' }
    const passkey = { ...key, ...device, userId: aliceId, createdAt: site.now }
    await site.db.insert(passkeys).values(passkey)
    await site.setUp({ require_second_factor: 'everybody', sso_trust_mfa: 'true' })
    const stranger = { sub: '666', name: 'Mallory', amr: ['pwd', 'mfa'] }
    await pass(TOKEN, stranger)
    const before = await rows()
    const refused = await visitor.post(`${OWN}/link`, ALICE_SIGN_IN)
    expect(refused.status).toBe(403)
    expect(alertIn(refused.html)).toContain('This site requires a second factor.')
    expect(messageIn(refused)).toBeUndefined()
    expect(await rows()).toEqual(before)
    expect((await pass(TOKEN, stranger)).location).toBe(STEP)
  })

  test('gets no account by default, and one of its own where the operator says so', async () => {
    await pass(TOKEN)
    expect((await rows()).users).toHaveLength(3)
    await site.setUp({
      sso_auto_register: 'true',
      sso_default_dir: '/new',
      sso_default_permission: '256',
      sso_oidc_username_key: 'preferred_username',
    })
    const person = { ...ALICE, preferred_username: 'ALICE' }
    const { token } = messageIn(await pass(TOKEN, person))
    const { data } = await site.get('/api/me', { token })
    expect(data).toMatchObject({
      username: 'ALICE-2',
      role: 0,
      permission: 256,
      base_path: '/new',
      sso_id: '4711',
    })
    expect((await rows()).users.find(({ id }) => id === data.id)).toMatchObject({
      passwordHash: null,
    })
    expect(await kinds()).toEqual([
      `user_made OIDC of ${data.id}`,
      `identity_linked OIDC: ALICE of ${data.id}`,
      `sign_in OIDC: sso of ${data.id}`,
    ])
    expect(messageIn(await pass(TOKEN, person))).toMatchObject({ token: expect.any(String) })
    expect((await rows()).users).toHaveLength(4)
  })

  test('gets one account when two callbacks come at the same time', async () => {
    await site.setUp({ sso_auto_register: 'true' })
    const visitors = [1, 2, 3].map(() => new Visitor(site))
    const seen = await Promise.all(
      visitors.map((item) => passProvider(site.providers, item, TOKEN, ALICE)),
    )
    expect(seen.map((answer) => messageIn(answer) !== undefined)).toEqual([true, true, true])
    expect((await rows()).users).toHaveLength(4)
    expect((await rows()).identities).toHaveLength(1)
  })

  test('gets a name that keeps our rules', async () => {
    await site.setUp({ sso_auto_register: 'true' })
    for (const [sub, name] of [
      ['a', '../../root'],
      ['b', '#7'],
      ['c', ''],
      ['d', '\u202Eadmin'],
    ])
      await pass(TOKEN, { sub: sub ?? '', name: name ?? '' })
    const names = (await rows()).users.map(({ username }) => username)
    expect(names.slice(3)).toEqual(['user-2', 'user-3', 'user-4', 'user-5'])
  })

  test.each([
    ['administrator', /^user-2$/],
    ['4dm1n', /^user-2$/],
    ['аdmin', /^user-2$/],
    ['Trea5urer', /^user-2$/],
    ['b0ss', /^user-2$/],
    ['con', /^user-2$/],
    ['a:b', /^user-2$/],
    ['bob~7', /^user-2$/],
    ['Ωmega', /^user-2$/],
    ['℀', /^user-2$/],
    ['alice@corp.example', /^alice-2$/],
    ['support@corp.example', /^user-2$/],
    ['@corp.example', /^user-2$/],
    ['STRASSE', /^STRASSE-2$/],
    ['Zoë', /^Zoë$/],
  ])('keeps the rules for names that people choose: %s', async (name, expected) => {
    await site.addUser('boss', { role: 2 })
    await site.addUser('straße')
    await site.setUp({ sso_auto_register: 'true', register_reserved_names: 'treasurer' })
    const { token } = messageIn(await pass(TOKEN, { sub: 'n', name }))
    expect((await site.get('/api/me', { token })).data.username).toMatch(expected)
  })

  test('gets a folder of its own, which is nobody’s', async () => {
    await site.setUp({ sso_auto_register: 'true', sso_default_dir: '/homes/{username}' })
    await site.addUser('other', { basePath: '/homes/ÉMILE' })
    await site.addUser('deep', { basePath: '/homes/émile-2/photos' })
    const left = await site.addUser('left', { basePath: '/homes/Grace' })
    await site.db.delete(users).where(eq(users.id, left))
    for (const [sub, name, username] of [
      ['e', 'émile', 'émile-3'],
      ['f', 'émile', 'émile-4'],
      ['g', 'GRACE', 'GRACE-2'],
      ['h', '$&', '$&'],
    ] as const) {
      const { token } = messageIn(await pass(TOKEN, { sub, name }))
      const { data } = await site.get('/api/me', { token })
      expect(data).toMatchObject({ username, base_path: `/homes/${username}` })
    }
  })

  test('gets no name that is reserved, because a program would take them for its owner', async () => {
    await site.setUp({ sso_auto_register: 'true' })
    const gone = { usernameKey: 'grace', username: 'grace', userId: 99, reservedAt: site.now }
    await site.db.insert(reservedNames).values(gone)
    await pass(TOKEN, { sub: 'g', name: 'Grace' })
    expect((await rows()).users.at(-1)).toMatchObject({ username: 'Grace-2' })
  })

  test('may belong to an account that was moved here, which its owner confirms', async () => {
    await site.setUp({ sso_auto_register: 'true' })
    await site.db.update(users).set({ ssoId: 'Alice Doe' })
    expect((await pass(TOKEN)).location).toBe(STEP)
    expect((await rows()).users).toHaveLength(3)
    await visitor.post(`${OWN}/link`, { username: 'alice', password: PASSWORD })
    expect(messageIn(await pass(TOKEN))).toMatchObject({ token: expect.any(String) })
  })
})

const cookiesOf = ({ cookies }: Visitor) => ({
  Cookie: Array.from(cookies, (pair) => pair.join('=')).join('; '),
})

/** Sends what the stock client sends, in the visitor's browser. */
async function update(token: string, body: object, cookies = true) {
  return site.post('/api/me/update', body, {
    token,
    ...(cookies && { headers: cookiesOf(visitor) }),
  })
}

const ssoId = async (token: string) => (await site.get('/api/me', { token })).data.sso_id

describe('POST /api/me/update with sso_id', () => {
  test('links the identity that this browser has just proven', async () => {
    const token = await site.token('alice', PASSWORD)
    const seen = await pass(ID)
    expect(messageIn(seen)).toEqual({ sso_id: '4711' })
    const body = { username: 'alice', password: '', sso_id: '4711' }
    expect(await update(token, body, false)).toMatchObject({ code: 403 })
    expect(await update(token, { ...body, sso_id: '4712' })).toMatchObject({ code: 403 })
    expect((await rows()).identities).toEqual([])
    expect(await update(token, body)).toMatchObject({ code: 200 })
    expect(await ssoId(token)).toBe('4711')
    expect((await rows()).identities).toMatchObject([{ subject: '4711', userId: aliceId }])
    expect(await kinds()).toContain(`identity_linked OIDC: Alice Doe of ${aliceId}`)
    // The stock client sends the present one with every other change.
    expect(await update(token, body, false)).toMatchObject({ code: 200 })
    expect((await rows()).identities).toHaveLength(1)
  })

  test('refuses an identity that was proven long ago, a stale session and an identity of another user', async () => {
    const body = { username: 'alice', password: '', sso_id: '4711' }
    const token = await site.token('alice', PASSWORD)
    await pass(ID)
    site.now += 5 * MINUTE
    expect(await update(token, body)).toMatchObject({
      code: 403,
      message: expect.stringContaining('sso_id must be proven'),
    })
    site.now += HOUR
    await pass(ID)
    expect(await update(token, body)).toMatchObject({
      code: 403,
      message: 'Sign in again or confirm to do this',
    })
    const bobId = await site.addUser('bob', { password: PASSWORD })
    await link(bobId)
    expect(await update(await site.token('alice', PASSWORD), body)).toMatchObject({
      code: 409,
      message: 'this account is linked with another user',
    })
    expect((await rows()).identities).toMatchObject([{ userId: bobId }])
  })

  test('forgets the proven identity when it was used, and when a session of the browser ends', async () => {
    const token = await site.token('alice', PASSWORD)
    const isForgotten = /^sso-identity=; Max-Age=0/
    await pass(ID)
    const body = { username: 'alice', password: '', sso_id: '4711' }
    const headers = cookiesOf(visitor)
    const used = await site.fetch('POST', '/api/me/update', { token, body, headers })
    expect(used.headers.get('Set-Cookie')).toMatch(isForgotten)
    const ended = await site.fetch('GET', '/api/auth/logout', { token, headers })
    expect(ended.headers.get('Set-Cookie')).toMatch(isForgotten)
    await visitor.signIn('alice', PASSWORD)
    await pass(ID)
    expect(visitor.cookies.has('sso-identity')).toBe(true)
    await visitor.post('/account/sign-out')
    expect(visitor.cookies.has('sso-identity')).toBe(false)
    const other = await site.fetch('GET', '/api/auth/logout', { token })
    expect(other.headers.get('Set-Cookie') ?? '').not.toContain('sso-identity')
  })

  test('unlinks with an empty sso_id, but never the last way to sign in', async () => {
    await link()
    await site.db.update(users).set({ ssoId: '4711' })
    const { token } = messageIn(await pass(TOKEN, justSignedIn()))
    await site.db.update(users).set({ passwordHash: null })
    const body = { username: 'alice', password: '', sso_id: '' }
    expect(await update(token, body)).toMatchObject({ code: 400 })
    expect((await rows()).identities).toHaveLength(1)
    await site.db.update(users).set({ passwordHash: 'x' })
    expect(await update(token, body)).toMatchObject({ code: 200 })
    expect((await rows()).identities).toEqual([])
    expect(await ssoId(token)).toBe('')
    expect(await kinds()).toContain(`identity_unlinked OIDC: Alice Doe of ${aliceId}`)
  })
})

/** Sends what the stock client sends when an operator edits a user. */
async function giveSsoId(text: string) {
  const token = await site.token('admin', ADMIN_PASSWORD)
  const body = { id: aliceId, username: 'alice', sso_id: text }
  return site.post('/api/admin/user/update', body, { token })
}

const subjects = async () => (await rows()).identities.map(({ subject }) => subject).toSorted()

describe("an operator's sso_id for a user", () => {
  beforeEach(async () => {
    await link()
    await link(aliceId, '4712')
    await link(await site.addUser('bob'), '4713')
    await site.db.update(users).set({ ssoId: '4712' }).where(eq(users.id, aliceId))
  })

  test('ends the sessions of the accounts that it unlinks', async () => {
    await pass(OWN, justSignedIn())
    const other = new Visitor(site)
    await passProvider(site.providers, other, OWN, { ...justSignedIn(), sub: '4712' })
    expect(await giveSsoId('4711')).toMatchObject({ code: 200 })
    expect((await visitor.get('/account')).status).toBe(200)
    expect((await other.get('/account')).location).toContain('/account/sign-in')
  })

  test('unlinks everything when it is empty, also the last way in', async () => {
    await site.db.update(users).set({ passwordHash: null }).where(eq(users.id, aliceId))
    expect(await giveSsoId('')).toMatchObject({ code: 200 })
    expect(await subjects()).toEqual(['4713'])
    const events = (await site.db.select().from(auditEvents)).filter(
      ({ kind }) => kind === 'identity_unlinked',
    )
    const event = { userId: aliceId, actorId: 1, detail: 'OIDC: Alice Doe' }
    expect(events).toMatchObject([event, event])
    expect((await pass(TOKEN)).location).toBe(STEP)
  })

  test('unlinks what it does not name, and is a claim that the user confirms', async () => {
    expect(await giveSsoId('4712')).toMatchObject({ code: 200 })
    expect(await subjects()).toEqual(['4711', '4712', '4713'])
    expect(await giveSsoId('4711')).toMatchObject({ code: 200 })
    expect(await subjects()).toEqual(['4711', '4713'])
    expect(await giveSsoId('4799')).toMatchObject({ code: 200 })
    expect(await subjects()).toEqual(['4713'])
    await site.setUp({ sso_auto_register: 'true' })
    expect((await pass(TOKEN, { sub: '4799', name: 'Alice' })).location).toBe(STEP)
    expect(messageIn(await visitor.post(`${OWN}/link`, ALICE_SIGN_IN))).toMatchObject({
      token: expect.any(String),
    })
    expect(await subjects()).toEqual(['4713', '4799'])
  })

  test('changes nothing with a name that is taken, or in an old session', async () => {
    const token = await site.token('admin', ADMIN_PASSWORD)
    const body = { id: aliceId, username: 'bob', sso_id: '' }
    expect(await site.post('/api/admin/user/update', body, { token })).toMatchObject({ code: 409 })
    site.now += HOUR
    const own = { ...body, username: 'alice' }
    expect(await site.post('/api/admin/user/update', own, { token })).toMatchObject({ code: 403 })
    expect(await subjects()).toEqual(['4711', '4712', '4713'])
  })
})

describe('the page Security', () => {
  test('links an account after a fresh session, and shows when and by whom', async () => {
    await visitor.signIn('alice', PASSWORD)
    expect(textOf((await visitor.get(SECURITY)).html)).toContain('No account is linked.')
    const begun = await visitor.post(`${SECURITY}/identities/link`)
    const back = site.providers.signIn(refreshTo(begun.headers), ALICE)
    // The browser keeps its Strict cookie on the way back from another site.
    const session = visitor.cookies.get('session') ?? ''
    visitor.cookies.delete('session')
    const seen = await visitor.get(back, BROWSER)
    expect(seen.headers.get('Refresh')).toBe('0; url=/account/security?done=identity-linked')
    visitor.cookies.set('session', session)
    const page = textOf((await visitor.get(`${SECURITY}?done=identity-linked`)).html)
    expect(page).toContain('The account is linked.')
    expect(page).toContain('Alice Doe OpenID Linked by you just now Never used')
    expect((await site.db.select().from(users)).find(({ id }) => id === aliceId)?.ssoId).toBe(
      '4711',
    )
  })

  test('asks for the password first in an old session', async () => {
    await visitor.signIn('alice', PASSWORD)
    site.now += HOUR
    const asked = await visitor.post(`${SECURITY}/identities/link`)
    expect(asked.headers.get('Refresh')).toBe(null)
    expect(problemAt(asked.html, 'link-identity-confirm_password')).toBe(
      'Confirm your identity to continue.',
    )
    const begun = await visitor.post(`${SECURITY}/identities/link`, { confirm_password: PASSWORD })
    expect(begun.headers.get('Refresh')).toContain(ISSUER)
  })

  test('links nothing when the session has ended meanwhile, or somebody else has it', async () => {
    await visitor.signIn('alice', PASSWORD)
    const begin = async () => {
      const begun = await visitor.post(`${SECURITY}/identities/link`)
      return site.providers.signIn(refreshTo(begun.headers), ALICE)
    }
    const first = await begin()
    await link(await site.addUser('bob'))
    expect((await visitor.get(first, BROWSER)).status).toBe(409)
    await site.db.delete(identities)
    const second = await begin()
    await site.db.delete(sessions)
    expect((await visitor.get(second, BROWSER)).status).toBe(403)
    expect((await rows()).identities).toEqual([])
  })

  test('unlinks an account, but not the last way to sign in', async () => {
    await link()
    await link(aliceId, '4712')
    await link(await site.addUser('bob'), '4713')
    await pass(OWN, justSignedIn())
    await site.db.update(users).set({ passwordHash: null })
    const unlink = (subject: string) =>
      visitor.post(`${SECURITY}/identities/unlink`, { issuer: ISSUER, subject })
    expect(alertIn((await unlink('4713')).html)).toBeUndefined()
    expect((await unlink('4712')).location).toBe(`${SECURITY}?done=identity-unlinked`)
    const refused = await unlink('4711')
    expect(alertIn(refused.html)).toBe(
      'You could not sign in any more. Set a password or add a passkey first.',
    )
    expect((await rows()).identities.map(({ subject }) => subject).toSorted()).toEqual([
      '4711',
      '4713',
    ])
    expect(await kinds()).toContain(`identity_unlinked OIDC: Alice Doe of ${aliceId}`)
  })

  test('ends what began with the account, and offers to end every other session', async () => {
    await link()
    const begun = new Visitor(site)
    await passProvider(site.providers, begun, OWN, justSignedIn())
    await passProvider(site.providers, visitor, OWN, justSignedIn())
    const password = await site.token('alice', PASSWORD)
    const fields = { issuer: ISSUER, subject: ALICE.sub }
    expect((await visitor.get(SECURITY)).html).toMatch(/<input[^>]* name="others"[^>]* checked/)
    await visitor.post(`${SECURITY}/identities/unlink`, fields)
    expect((await begun.get('/account')).location).toContain('/account/sign-in')
    expect((await visitor.get('/account')).status).toBe(200)
    expect(await site.get('/api/me', { token: password })).toMatchObject({ code: 200 })
    await link()
    await visitor.post(`${SECURITY}/identities/unlink`, { ...fields, others: 'on' })
    expect((await visitor.get('/account')).status).toBe(200)
    expect(await site.get('/api/me', { token: password })).toMatchObject({ code: 401 })
  })

  test('unlinks nothing in an old session', async () => {
    await link()
    await pass(OWN, justSignedIn())
    site.now += HOUR
    const fields = { issuer: ISSUER, subject: '4711' }
    expect((await visitor.post(`${SECURITY}/identities/unlink`, fields)).status).toBe(403)
    expect((await rows()).identities).toHaveLength(1)
  })
})

test('a first sign-in reads no more among ten thousand users who claim an account', async () => {
  await site.setUp({ sso_auto_register: 'true' })
  const costOf = async (person: Person) => {
    visitor = new Visitor(site)
    await pass(TOKEN, person)
    return site.meter.rowsRead
  }
  // The first one of all reads the settings.
  await costOf({ sub: 'first', name: 'first' })
  const few = await costOf({ sub: 'second', name: 'second' })
  await site.db.run(
    sql`with recursive n(i) as (select 1 union all select i + 1 from n where i < 10000)
      insert into users (username, username_key, sso_id, created_at)
      select 'user-' || i, 'user-' || i, 'claim-' || i, 0 from n`,
  )
  expect(await costOf({ sub: 'third', name: 'third' })).toBe(few)
  expect(await subjects()).toEqual(['first', 'second', 'third'])
})
