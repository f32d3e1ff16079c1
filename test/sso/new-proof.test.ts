import { eq } from 'drizzle-orm'
import * as v from 'valibot'
import { beforeEach, describe, expect, test } from 'vitest'
import { sessions } from '../../scripts/openapi/schemas.ts'
import { identities, users } from '../../schema/tables.ts'
import { BROWSER, ISSUER, passProvider, type Person } from '../support/identity-provider.ts'
import {
  answerIn,
  claimsIn,
  exchangeCode,
  PASSWORD,
  type Registered,
  requestPath,
  withClient,
} from '../support/openid.ts'
import { MINUTE, SECOND } from '../support/site.ts'
import { SsoSite } from '../support/sso-site.ts'
import { refreshTo, type Seen, textOf, Visitor } from '../support/visitor.ts'

const ALICE: Person = { sub: '4711', name: 'Alice Doe' }
const DAY_SECONDS = 86_400

let site: SsoSite
let client: Registered
let visitor: Visitor

beforeEach(async () => {
  site = new SsoSite()
  client = await withClient(site)
  visitor = new Visitor(site)
})

/** Turns single sign-on on, with an identity of alice. */
async function setUp(platform = 'OIDC', issuer = ISSUER, values: Record<string, string> = {}) {
  await site.setUp({ sso_login_platform: platform, sso_endpoint_name: issuer, ...values })
  const linked = { linkedAt: site.now, linkedBy: 'user' }
  await site.db
    .insert(identities)
    .values({ issuer, subject: ALICE.sub, userId: 3, platform, name: 'Alice Doe', ...linked })
}

const secondsNow = () => Math.floor(site.now / 1000)

/** The path of the button of the provider, for a program's request of a visitor. */
async function startFor(changes: Record<string, string>): Promise<string> {
  const { location } = await visitor.get(requestPath(client, changes))
  site.now += SECOND
  return (location ?? '').replace('/account/sign-in?', '/account/sign-in/sso?')
}

/** The answer to the request of a program, after a sign-in at the provider. */
async function signInFor(changes: Record<string, string>, claims: object = {}): Promise<Seen> {
  const start = await startFor(changes)
  const { headers } = await passProvider(site.providers, visitor, start, { ...ALICE, ...claims })
  return visitor.get(refreshTo(headers))
}

/** The claims of the ID token that an answer leads to. */
async function claimsAt({ location }: Pick<Seen, 'location'>) {
  const { code = '' } = answerIn(location)
  return claimsIn((await exchangeCode(site, client, code)).id_token)
}

/** What the ID token says after a question for the password that was answered. */
const ASKED = { amr: ['pwd'], ageSeconds: 0 }

/** Answers the page that asks for the password. */
async function proveOn({ location, html }: Seen) {
  if (location !== null || !html.includes('name="confirm_password"')) return 'not asked'
  site.now += MINUTE
  const [, request = ''] = /name="request" value="([^"]*)"/.exec(html) ?? []
  const { headers } = await visitor.post('/oauth/authorize/confirm', {
    request: request.replaceAll('&amp;', '&'),
    user: '3',
    confirm_password: PASSWORD,
  })
  const { amr, auth_time: time } = await claimsAt(await visitor.get(refreshTo(headers)))
  return { amr, ageSeconds: secondsNow() - Number(time) }
}

const LOGIN = { prompt: 'login' }
const NEEDS = [LOGIN, { prompt: 'select_account' }, { max_age: '60' }]

describe.each(NEEDS)('%o of a user who signs in with an identity provider', (changes) => {
  beforeEach(() => setUp())

  test('asks the provider to sign the user in anew', async () => {
    const { location } = await visitor.get(await startFor(changes), BROWSER)
    const { searchParams } = new URL(location ?? '')
    expect(searchParams.get('prompt')).toBe('login')
    expect(searchParams.get('max_age')).toBe('0')
  })

  test('is met by a sign-in at the provider since the request', async () => {
    const claims = await claimsAt(await signInFor(changes, { auth_time: secondsNow() + 1 }))
    expect(claims).toMatchObject({ amr: [], auth_time: secondsNow() })
  })

  test('is not met by a silent sign-in, with a session that the provider had', async () => {
    expect(
      await proveOn(await signInFor(changes, { auth_time: secondsNow() - DAY_SECONDS })),
    ).toEqual(ASKED)
  })

  test.each([undefined, Date.now(), 1e300])('is not met by auth_time %s', async (time) => {
    expect(await proveOn(await signInFor(changes, { auth_time: time }))).toEqual(ASKED)
  })

  test('is not met after "Not you?" and a silent sign-in', async () => {
    await visitor.signIn('alice', PASSWORD)
    site.now += 2 * MINUTE
    const request = requestPath(client, changes).split('?')[1] ?? ''
    const { location } = await visitor.post('/oauth/authorize/switch', { request, user: '3' })
    site.now += SECOND
    const start = (location ?? '').replace('/account/sign-in?', '/account/sign-in/sso?')
    const person = { ...ALICE, auth_time: secondsNow() - DAY_SECONDS }
    const { headers } = await passProvider(site.providers, visitor, start, person)
    expect(await proveOn(await visitor.get(refreshTo(headers)))).toEqual(ASKED)
  })

  test('is met by the code of the account only together with a sign-in at the provider', async () => {
    const secret = await site.enrol(await site.token('alice', PASSWORD))
    const signInWithCode = async (ageSeconds: number) => {
      visitor = new Visitor(site)
      site.now += MINUTE
      const start = await startFor(changes)
      const person = { ...ALICE, auth_time: secondsNow() - ageSeconds }
      await passProvider(site.providers, visitor, start, person)
      const code = site.code(secret)
      const { headers } = await visitor.post('/account/sign-in/sso/code', { code })
      return visitor.get(refreshTo(headers))
    }
    expect(await signInWithCode(DAY_SECONDS)).toMatchObject({ status: 200, location: null })
    expect(await claimsAt(await signInWithCode(0))).toMatchObject({
      amr: ['otp', 'mfa'],
      auth_time: secondsNow(),
    })
  })

  test('is not met by the word of the provider for a second factor', async () => {
    await site.setUp({ sso_trust_mfa: 'true' })
    const auth_time = secondsNow() - DAY_SECONDS
    expect(await proveOn(await signInFor(changes, { auth_time, amr: ['mfa'] }))).toEqual(ASKED)
  })

  test('is told in words to a user who has neither password nor passkey', async () => {
    await site.db.update(users).set({ passwordHash: null }).where(eq(users.id, 3))
    const seen = await signInFor(changes, { auth_time: secondsNow() - DAY_SECONDS })
    expect(seen.status).toBe(403)
    expect(seen.html).not.toContain('confirm_password')
    expect(textOf(seen.html)).toContain(
      'Your account alice has neither a password nor a passkey here.',
    )
    expect(seen.html).toContain('action="/oauth/authorize/switch"')
    const chinese = await visitor.get(requestPath(client, changes), { 'Accept-Language': 'zh-CN' })
    expect(textOf(chinese.html)).toContain('你的账户 alice 在本站既没有密码，也没有通行密钥')
    // The way on that the page offers.
    const request = requestPath(client, changes).split('?')[1] ?? ''
    const { location } = await visitor.post('/oauth/authorize/switch', { request, user: '3' })
    site.now += SECOND
    const start = (location ?? '').replace('/account/sign-in?', '/account/sign-in/sso?')
    const person = { ...ALICE, auth_time: secondsNow() }
    const { headers } = await passProvider(site.providers, visitor, start, person)
    const next = await visitor.get(refreshTo(headers))
    expect(await claimsAt(next)).toMatchObject({ amr: [], auth_time: secondsNow() })
  })
})

describe('a provider', () => {
  test('may have a clock that is half a minute behind, not more', async () => {
    await setUp()
    const { location } = await signInFor(LOGIN, { auth_time: secondsNow() - 29 })
    expect(answerIn(location)).toHaveProperty('code')
    visitor = new Visitor(site)
    const seen = await signInFor(LOGIN, { auth_time: secondsNow() - 30 })
    expect(await proveOn(seen)).toEqual(ASKED)
  })

  test('may have a clock that is half a minute ahead, not more', async () => {
    await setUp()
    const ahead = await signInFor(LOGIN, { auth_time: secondsNow() + 31 })
    expect(await claimsAt(ahead)).toMatchObject({ auth_time: secondsNow() })
    visitor = new Visitor(site)
    const seen = await signInFor(LOGIN, { auth_time: secondsNow() + 32 })
    expect(await proveOn(seen)).toEqual(ASKED)
  })

  test.each(['now', -1, null])('signs nobody in with the auth_time %s', async (auth_time) => {
    await setUp()
    const start = await startFor(LOGIN)
    const seen = await passProvider(site.providers, visitor, start, { ...ALICE, auth_time })
    expect(textOf(seen.html)).toContain('Signing in did not work')
    expect(visitor.cookies.has('session')).toBe(false)
  })

  test.each([
    ['Casdoor', ISSUER, { prompt: 'login', max_age: '0' }],
    ['Google', 'https://accounts.google.com', { prompt: 'select_account', max_age: null }],
    ['OIDC', 'https://accounts.google.com', { prompt: 'select_account', max_age: null }],
    ['Microsoft', '', { prompt: 'login', max_age: null }],
    ['OIDC', 'https://login.microsoftonline.com/x/v2.0', { prompt: 'login', max_age: null }],
    ['Github', 'https://github.com/login/oauth', { prompt: null, max_age: null }],
    ['Dingtalk', 'https://login.dingtalk.com', { prompt: 'consent', max_age: null }],
  ])(
    '%s %s is asked for a new sign-in in the words that it knows',
    async (platform, issuer, asked) => {
      await setUp(platform, issuer)
      const metadata = { issuer, authorization_endpoint: `${issuer}/authorize` }
      const answer = () => Response.json(metadata)
      site.providers.mischief = {
        answers: { '/x/v2.0/.well-known/openid-configuration': answer },
      }
      const { location } = await visitor.get(await startFor(LOGIN), BROWSER)
      const { searchParams } = new URL(location ?? '')
      expect({ prompt: searchParams.get('prompt'), max_age: searchParams.get('max_age') }).toEqual(
        asked,
      )
    },
  )

  test.each([
    ['Github', 'https://github.com/login/oauth'],
    ['Dingtalk', 'https://login.dingtalk.com'],
  ])('%s proves nothing, because it does not tell when the user signed in', async (...given) => {
    await setUp(...given)
    expect(await proveOn(await signInFor(LOGIN, { auth_time: secondsNow() + 1 }))).toEqual(ASKED)
  })

  test('is not asked for a new sign-in when no program wants a proof', async () => {
    await setUp()
    for (const start of [await startFor({}), '/account/sign-in/sso']) {
      const { location } = await visitor.get(start, BROWSER)
      expect(location).not.toMatch(/prompt|max_age/)
    }
  })
})

describe('a session that began at a provider', () => {
  beforeEach(() => setUp())

  test('counts for max_age since the sign-in at the provider', async () => {
    const auth_time = secondsNow() - 100
    expect(await claimsAt(await signInFor({}, { auth_time }))).toMatchObject({ auth_time })
    const long = await visitor.get(requestPath(client, { max_age: '200' }))
    expect(await claimsAt(long)).toMatchObject({ amr: [], auth_time })
    expect(await proveOn(await visitor.get(requestPath(client, { max_age: '100' })))).toEqual(ASKED)
  })

  test('has no auth_time when the provider tells none, and never counts for max_age', async () => {
    const claims = await claimsAt(await signInFor({}))
    expect(claims).toMatchObject({ amr: [], name: 'alice' })
    expect(claims).not.toHaveProperty('auth_time')
    expect(await proveOn(await visitor.get(requestPath(client, { max_age: '86400' })))).toEqual(
      ASKED,
    )
    const silent = await visitor.get(requestPath(client, { max_age: '86400', prompt: 'none' }))
    expect(answerIn(silent.location)).toMatchObject({ error: 'login_required' })
  })

  test('has no second factor after a password that confirms it', async () => {
    await signInFor({}, { auth_time: secondsNow() })
    const token = visitor.cookies.get('session') ?? ''
    await site.post('/api/me/confirm', { password: PASSWORD }, { token })
    const { location } = await visitor.get(requestPath(client, {}))
    expect(await claimsAt({ location })).toMatchObject({ amr: ['pwd'] })
  })

  test('is listed without the time of the provider', async () => {
    await signInFor({}, { auth_time: secondsNow() })
    const token = visitor.cookies.get('session') ?? ''
    const { data } = await site.get('/api/me/sessions', { token })
    expect(data.content).toMatchObject([{ methods: ['sso'] }])
    const { data: events } = await site.get('/api/me/events', { token })
    expect(events.content).toMatchObject([{ detail: 'OIDC: sso' }])
  })

  test('is listed with its methods, as documented and in words', async () => {
    await site.setUp({ sso_trust_mfa: 'true' })
    await signInFor({}, { amr: ['pwd', 'mfa'] })
    const token = visitor.cookies.get('session') ?? ''
    const { data } = await site.get('/api/me/sessions', { token })
    expect(data.content).toMatchObject([{ methods: ['sso', 'mfa'] }])
    expect(v.is(sessions, data)).toBe(true)
    const { html } = await visitor.get('/account/sessions')
    expect(textOf(html)).toContain('With linked account and its second factor')
  })
})
