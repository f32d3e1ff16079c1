import { beforeEach, describe, expect, test } from 'vitest'
import { auditEvents, identities, sessions, usedChallenges, users } from '../../schema/tables.ts'
import { SSO_SCRIPT, SSO_SCRIPT_HASH } from '../../.build/assets.ts'
import type { Deps } from '../../src/core/deps.ts'
import { hurryTimeouts } from '../support/hurried-timeouts.ts'
import { BROWSER, ISSUER, passProvider, type Person } from '../support/identity-provider.ts'
import { loggedLines } from '../support/log.ts'
import { prepared } from '../support/prepared.ts'
import { MINUTE } from '../support/site.ts'
import { FILES_BINDINGS, FILES_ORIGIN, OpenListStandIn } from '../support/openlist-stand-in.ts'
import { SsoSite } from '../support/sso-site.ts'
import { type Seen, textOf, Visitor } from '../support/visitor.ts'

const PASSWORD = 'alice-Passw0rd'
const START = '/api/auth/sso?method=sso_get_token'
const ALICE: Person = { sub: '4711', name: 'Alice Doe', preferred_username: 'alice.d' }

let site: SsoSite
let visitor: Visitor
let aliceId: number

const addAlice = prepared(async (arranged) => {
  await arranged.addFirstUsers()
  return arranged.addUser('alice', { password: PASSWORD })
})

beforeEach(async () => {
  site = new SsoSite()
  aliceId = await addAlice(site)
  visitor = new Visitor(site)
})

function link(person: Person = ALICE, { issuer = ISSUER, platform = 'OIDC' } = {}) {
  const names = { platform, name: person.name ?? '', linkedBy: 'user' }
  return site.db
    .insert(identities)
    .values({ issuer, subject: person.sub, userId: aliceId, ...names, linkedAt: site.now })
}

function unescaped(html: string): string {
  const characters: Record<string, string> = { lt: '<', gt: '>', quot: '"', '#39': "'", amp: '&' }
  return html.replaceAll(/&([\w#]+);/g, (_, name) => characters[name] ?? '')
}

/** The message of a page for the window that opened it. */
function messageIn({ html }: Seen) {
  const [, json] = /data-message="([^"]*)"/.exec(html) ?? []
  return json === undefined ? undefined : JSON.parse(unescaped(json))
}

const signIn = (person = ALICE, start = START) =>
  passProvider(site.providers, visitor, start, person)

const me = async (token: string) => (await site.get('/api/me', { token })).data

describe('GET /api/auth/sso', () => {
  test('answers programs with envelopes and browsers with pages', async () => {
    expect(await site.get(START)).toMatchObject({
      code: 403,
      message: 'Single sign-on is not enabled',
    })
    const seen = await visitor.get(START, BROWSER)
    expect(seen.status).toBe(403)
    expect(textOf(seen.html)).toContain('Single sign-on is turned off on this site.')
    await site.setUp()
    expect(await site.get('/api/auth/sso')).toMatchObject({
      code: 400,
      message: 'no method provided',
    })
    expect(await site.get('/api/auth/sso?method=x')).toMatchObject({ code: 400 })
    await site.setUp({ sso_login_platform: '' })
    expect(await site.get(START)).toMatchObject({ code: 400, message: 'invalid platform' })
  })

  test('sends the browser to the provider with PKCE, state and nonce, in a sealed cookie', async () => {
    await site.setUp({ sso_extra_scopes: ' email  groups ' })
    const { status, location, headers } = await visitor.get(START)
    expect(status).toBe(302)
    // Otherwise the window loses the page that opened it.
    expect(headers.get('Cross-Origin-Opener-Policy')).toBe(null)
    const url = new URL(location ?? '')
    expect(url.origin + url.pathname).toBe(`${ISSUER}/authorize`)
    expect(Object.fromEntries(url.searchParams)).toEqual({
      response_type: 'code',
      client_id: 'latchkey-client',
      redirect_uri: 'http://localhost/api/auth/sso_callback?method=sso_get_token',
      scope: 'openid profile email groups',
      state: expect.stringMatching(/^[\w-]{43}$/),
      nonce: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: 'S256',
    })
    const [cookie = ''] = visitor.setCookies
    expect(cookie).toMatch(/^sso=[\w-]+\.[\w-]+; Max-Age=600; Path=\/; HttpOnly; SameSite=Lax$/)
    const https = await site.fetch('GET', `https://localhost${START}`)
    expect(https.headers.get('Set-Cookie')).toMatch(/^__Host-sso=.*; Secure; SameSite=Lax$/)
  })

  test('says so when the provider is down, hangs, answers nonsense or too much', async () => {
    await site.setUp()
    const path = '/.well-known/openid-configuration'
    const answers = {
      down: () => Promise.reject(new Error('connection refused')),
      status: () => new Response('no', { status: 500 }),
      nonsense: () => new Response('<html>', { headers: { 'Content-Type': 'application/json' } }),
      other: () => Response.json({ issuer: 'https://other.example.org' }),
      large: () => new Response(new Uint8Array(10 * 1024 * 1024)),
      script: () =>
        Response.json({ issuer: ISSUER, authorization_endpoint: 'javascript:alert(1)' }),
    }
    for (const [name, answer] of Object.entries(answers)) {
      site.providers.mischief = { answers: { [path]: answer } }
      const { status, location } = await visitor.get(START, BROWSER)
      expect(location, name).toBe(null)
      expect(status, name).toBe(name === 'down' || name === 'large' ? 503 : 400)
    }
    expect(visitor.cookies.has('sso')).toBe(false)
  })
})

describe('GET /api/auth/sso_callback', () => {
  test('signs in the user whose identity is linked, and gives the token to our own origin', async () => {
    await site.setUp()
    await link()
    const seen = await signIn()
    expect(seen.status).toBe(200)
    const { token } = messageIn(seen)
    expect(await me(token)).toMatchObject({ username: 'alice' })
    const inline = Array.from(seen.html.matchAll(/<script[^>]*>([^<]+)<\/script>/g))
    expect(inline.map(([, script]) => script)).toEqual([SSO_SCRIPT])
    expect(SSO_SCRIPT).not.toContain(token)
    const policy = seen.headers.get('Content-Security-Policy')
    expect(policy).toContain(`script-src 'self' '${SSO_SCRIPT_HASH}';`)
    const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(SSO_SCRIPT))
    expect(SSO_SCRIPT_HASH).toBe(`sha256-${btoa(String.fromCharCode(...new Uint8Array(hash)))}`)
    expect(seen.headers.get('Cross-Origin-Opener-Policy')).toBe(null)
    expect(seen.headers.get('Cache-Control')).toBe('no-store')
    expect(visitor.cookies.has('sso')).toBe(false)
    const event = (await site.db.select().from(auditEvents)).at(-1)
    expect(event).toMatchObject({ kind: 'sign_in', userId: aliceId, detail: 'OIDC: sso' })
    expect(await site.db.select().from(sessions)).toMatchObject([{ userId: aliceId, amr: 'sso' }])
    await site.settle()
    expect(await site.db.select().from(identities)).toMatchObject([{ lastUsedAt: site.now }])
  })

  const platforms: Record<string, { person: Person; issuer: string }> = {
    OIDC: { person: ALICE, issuer: ISSUER },
    Casdoor: { person: ALICE, issuer: ISSUER },
    Google: { person: ALICE, issuer: 'https://accounts.google.com' },
    Microsoft: {
      person: { ...ALICE, tid: '9188040d-6c67-4c5b-b112-36a304b66dad' },
      issuer: 'https://login.microsoftonline.com/9188040d-6c67-4c5b-b112-36a304b66dad/v2.0',
    },
    Github: {
      person: { sub: '583231', name: 'octocat' },
      issuer: 'https://github.com/login/oauth',
    },
    Dingtalk: { person: { sub: 'union-1', name: 'A Li' }, issuer: 'https://login.dingtalk.com' },
  }

  test.each(Object.entries(platforms))(
    'signs in with %s, also in compatibility mode',
    async (platform, { person, issuer }) => {
      await site.setUp({ sso_login_platform: platform })
      await link(person, { issuer, platform })
      const { token } = messageIn(await signIn(person))
      expect(await me(token)).toMatchObject({ username: 'alice' })
      await site.setUp({ sso_login_platform: platform, sso_compatibility_mode: 'true' })
      const { status, location } = await signIn(person)
      expect(status).toBe(302)
      const [, second = ''] = /^\/@login\?token=(.+)$/.exec(location ?? '') ?? []
      expect(await me(second)).toMatchObject({ username: 'alice' })
      expect(await signIn({ ...person, sub: '1' })).toMatchObject({
        location: '/account/sign-in/sso/step',
      })
    },
  )

  describe('at the web client of a file server', () => {
    beforeEach(async () => {
      const openlist = new OpenListStandIn()
      const faults: Partial<Deps> = {
        sendOut: (url, init) =>
          url.startsWith(FILES_ORIGIN) ? openlist.send(url, init) : site.providers.fetch(url, init),
      }
      site = new SsoSite(faults, FILES_BINDINGS)
      visitor = new Visitor(site)
      await link()
    })

    test.each(['false', 'true'])(
      'is the sign-in of the account for a page here (compatibility mode: %s)',
      async (mode) => {
        await site.setUp({ sso_compatibility_mode: mode })
        const { status, location } = await visitor.get(START, { 'Sec-Fetch-Site': 'same-origin' })
        expect([status, location]).toEqual([303, '/account/sign-in/sso'])
      },
    )

    test.each([{ 'Sec-Fetch-Site': 'cross-site' }, { 'Sec-Fetch-Site': 'none' }, {}])(
      'begins nothing for others: %j',
      async (headers) => {
        await site.setUp({ sso_compatibility_mode: 'true' })
        const { status, location } = await visitor.get(START, JSON.parse(JSON.stringify(headers)))
        expect([status, location, visitor.setCookies]).toEqual([303, '/@login', []])
      },
    )
  })

  test('names an account that was imported without a name, at its first use', async () => {
    await site.setUp({ sso_login_platform: 'Github' })
    const github = { issuer: 'https://github.com/login/oauth', platform: 'Github' }
    await link({ sub: '583231', name: '' }, github)
    for (const name of ['octocat', 'renamed']) {
      await signIn({ sub: '583231', name })
      await Promise.all(site.deferred)
      expect(await site.db.select().from(identities)).toMatchObject([
        { name: 'octocat', lastUsedAt: site.now },
      ])
    }
  })

  test('names the user of another tenant of Microsoft as another one', async () => {
    const { person, issuer } = platforms['Microsoft'] ?? { person: ALICE, issuer: '' }
    await site.setUp({ sso_login_platform: 'Microsoft' })
    await link(person, { issuer, platform: 'Microsoft' })
    const other = { ...person, tid: '11111111-2222-4333-8444-555555555555' }
    expect(await signIn(other)).toMatchObject({ location: '/account/sign-in/sso/step' })
    // A token whose `tid` and `iss` differ.
    site.providers.mischief = { claims: { tid: other['tid'] } }
    expect((await signIn(person)).status).toBe(400)
  })

  /** Comes back from the provider with a change; nothing may follow. */
  const hostile: Record<string, (path: string) => Promise<Seen | string>> = {
    'a wrong state': async (path) =>
      path.replace(/state=(.)/, (_, first) => `state=${first === 'x' ? 'y' : 'x'}`),
    'no state': async (path) => path.replace(/state=[^&]*/, ''),
    'two states': async (path) => `${path}&state=x`,
    'an old state': async (path) => {
      site.now += 10 * MINUTE
      return path
    },
    'the browser of somebody else': async (path) => new Visitor(site).get(path, BROWSER),
    'an altered cookie': async (path) => {
      visitor.cookies.set('sso', `${visitor.cookies.get('sso')?.slice(0, -2)}AA`)
      return path
    },
    'the callback of another method': async (path) => path.replace('sso_get_token', 'get_sso_id'),
    'the callback of the other mode': async (path) =>
      path.replace('/sso_callback?method=sso_get_token&', '/sso_get_token?'),
    'a code of another sign-in': async (path) => path.replace(/code=[^&]*/, 'code=x'),
    'no code': async (path) => path.replace(/code=[^&]*/, ''),
    'an error': async (path) => path.replace(/code=[^&]*/, 'error=access_denied'),
    'the issuer of somebody else': async (path) => `${path}&iss=https://other.example.org`,
    'a provider that was changed meanwhile': async (path) => {
      await site.setUp({ sso_endpoint_name: 'https://other.example.org' })
      return path
    },
    'single sign-on turned off meanwhile': async (path) => {
      await site.setUp({ sso_login_enabled: 'false' })
      return path
    },
  }
  /** What the log says; otherwise it is `answer`. */
  const reasons: Record<string, string> = {
    'a wrong state': 'state',
    'no state': 'state',
    'two states': 'state',
    'an old state': 'expired',
    'the browser of somebody else': 'state',
    'an altered cookie': 'state',
    'the callback of another method': 'state',
    'the callback of the other mode': 'state',
    'an error': 'denied',
    // Refused before anything is looked at.
    'single sign-on turned off meanwhile': '',
    'a provider that was changed meanwhile': 'provider changed',
    'an answer of 10 MB': 'answer too large',
    'a broken connection': 'no answer',
  }
  const dayAgo = Math.floor(Date.now() / 1000) - 86_400 * 365 * 10
  const badTokens: Record<string, NonNullable<SsoSite['providers']['mischief']>> = {
    'a wrong nonce': { claims: { nonce: 'x' } },
    'no nonce': { claims: { nonce: undefined } },
    'a wrong issuer': { claims: { iss: 'https://other.example.org' } },
    'a wrong audience': { claims: { aud: 'other' } },
    'another authorized party': { claims: { aud: ['latchkey-client', 'x'], azp: 'x' } },
    'another authorized party of a single audience': { claims: { azp: 'x' } },
    'an empty subject': { claims: { sub: '' } },
    'a subject of 256 characters': { claims: { sub: 'x'.repeat(256) } },
    'a subject with a control character': { claims: { sub: '4711\u0000' } },
    'a subject that is no Unicode': { claims: { sub: '\uD800' } },
    'an expired token': { claims: { exp: dayAgo, iat: dayAgo - 300 } },
    'a token without a subject': { claims: { sub: undefined } },
    'a forged signature': { isForged: true },
    'an unsigned token': { isUnsigned: true },
    'an error of the token endpoint': {
      answers: { '/token': () => Response.json({ error: 'invalid_grant' }, { status: 400 }) },
    },
    'an answer of 10 MB': {
      answers: { '/token': () => new Response(new Uint8Array(10 * 1024 * 1024)) },
    },
    'a redirect of the token endpoint': {
      answers: { '/token': () => Response.redirect('https://other.example.org/') },
    },
    'no keys': { answers: { '/keys': () => Response.json({ keys: [] }) } },
    'a broken connection': { answers: { '/token': () => Promise.reject(new Error('reset')) } },
  }
  for (const [name, mischief] of Object.entries(badTokens)) {
    hostile[name] = async (path) => {
      site.providers.mischief = mischief
      return path
    }
  }

  test.each(Object.entries(hostile))(
    'refuses %s in words, and writes nothing',
    async (name, change) => {
      await site.setUp({ sso_auto_register: 'true' })
      await link()
      const { location } = await visitor.get(START, BROWSER)
      const loggedBefore = loggedLines('"event":"sso_refused"').length
      const changed = await change(site.providers.signIn(location ?? '', ALICE))
      const seen = typeof changed === 'string' ? await visitor.get(changed, BROWSER) : changed
      expect(seen.status).toBeGreaterThanOrEqual(400)
      expect(textOf(seen.html)).toContain('Signing in did not work')
      expect(messageIn(seen)).toBeUndefined()
      const logged = loggedLines('"event":"sso_refused"').slice(loggedBefore)
      const reason = reasons[name] ?? 'answer'
      expect(logged.map((line) => JSON.parse(line).reason)).toEqual(reason === '' ? [] : [reason])
      expect(await site.db.select().from(sessions)).toEqual([])
      expect(await site.db.select().from(usedChallenges)).toEqual([])
      const kinds = (await site.db.select().from(auditEvents)).map(({ kind }) => kind)
      expect(kinds.filter((kind) => kind !== 'settings_changed')).toEqual([])
      expect(await site.db.select().from(identities)).toMatchObject([{ lastUsedAt: null }])
      expect(await site.db.select().from(users)).toHaveLength(3)
    },
  )

  test('takes a state once, also when two requests come at the same time', async () => {
    await site.setUp()
    await link()
    site.providers.mischief = { keepsCodes: true }
    const { location } = await visitor.get(START, BROWSER)
    const sealed = visitor.cookies.get('sso') ?? ''
    const path = site.providers.signIn(location ?? '', ALICE)
    const back = () => site.fetch('GET', path, { headers: { ...BROWSER, Cookie: `sso=${sealed}` } })
    const statuses = (await Promise.all([back(), back(), back()])).map(({ status }) => status)
    expect(statuses.toSorted((a, b) => a - b)).toEqual([200, 400, 400])
    expect((await back()).status).toBe(400)
    expect(loggedLines('"reason":"state used"')).toHaveLength(3)
    expect(await site.db.select().from(usedChallenges)).toHaveLength(1)
    expect(await site.db.select().from(sessions)).toHaveLength(1)
  })

  test('is not used up by HEAD, nor is anybody signed in', async () => {
    await site.setUp()
    await link()
    const before = site.providers.asked.length
    const { location } = await visitor.get(START, BROWSER)
    const path = site.providers.signIn(location ?? '', ALICE)
    const headers = { ...BROWSER, Cookie: `sso=${visitor.cookies.get('sso')}` }
    for (const one of [START, path])
      expect((await site.fetch('HEAD', one, { headers })).headers.get('Allow')).toBe('GET, OPTIONS')
    expect(site.providers.asked).toHaveLength(before + 1)
    expect(await site.db.select().from(usedChallenges)).toEqual([])
    expect(await site.db.select().from(sessions)).toEqual([])
    expect(messageIn(await visitor.get(path, BROWSER))).toMatchObject({
      token: expect.any(String),
    })
  })

  test('gives up after five seconds', async () => {
    await site.setUp()
    await link()
    const timeouts = hurryTimeouts()
    site.providers.mischief = {
      answers: { '/token': () => new Promise<Response>(() => undefined) },
    }
    const seen = await signIn()
    expect(seen.status).toBe(503)
    expect(textOf(seen.html)).toContain('The provider does not answer.')
    expect(timeouts.at(-1)).toBe(5000)
  })

  test('escapes what the provider says', async () => {
    await site.setUp()
    const name = `"><script>alert(1)</script>'\u2028`
    const { location } = await signIn({ sub: `</script><b>'"`, name })
    const { html } = await visitor.get(location ?? '')
    expect(html).not.toContain('<script>alert')
    const bound = await signIn({ sub: `</script><b>'"&`, name }, '/api/auth/sso?method=get_sso_id')
    expect(bound.html).not.toContain('<b>')
    expect(messageIn(bound)).toEqual({ sso_id: `</script><b>'"&` })
  })

  test('takes a subject of 255 characters, and the site as authorized party', async () => {
    await site.setUp()
    const person = { sub: 'x'.repeat(255), azp: 'latchkey-client' }
    await link(person)
    expect(messageIn(await signIn(person))).toMatchObject({ token: expect.any(String) })
  })

  test('refuses ids of GitHub and DingTalk that are out of bounds', async () => {
    const ids = { Github: ['0', '1.5', '9007199254740993'], Dingtalk: ['', 'x'.repeat(256)] }
    for (const [platform, subjects] of Object.entries(ids)) {
      await site.setUp({ sso_login_platform: platform, sso_auto_register: 'true' })
      for (const sub of subjects) expect((await signIn({ sub })).status, platform).toBe(400)
    }
    expect(await site.db.select().from(users)).toHaveLength(3)
  })

  test('cuts long names, and shows control and direction characters', async () => {
    await site.setUp()
    const name = `\u202Eeve\u0007\n${'𝒳'.repeat(5000)}`
    const shown = `�eve�↵${'𝒳'.repeat(249)}`
    expect((await signIn({ sub: 'e\u202E', name })).location).toBe('/account/sign-in/sso/step')
    const { html } = await visitor.get('/account/sign-in/sso/step')
    expect(html).toContain(`“${shown}”`)
    expect(html).not.toContain('\u202E')
    expect(visitor.cookies.get('sso-step')?.length).toBeLessThan(3000)
    await visitor.post('/account/sign-in/sso/link', { username: 'alice', password: PASSWORD })
    expect(await site.db.select().from(identities)).toMatchObject([{ name: shown }])
    const events = await site.db.select().from(auditEvents)
    expect(events.map(({ detail }) => detail)).toContain(`OIDC: ${shown}`)
    // Without a name, the subject is shown.
    await signIn({ sub: 'f\u202E' })
    expect((await visitor.get('/account/sign-in/sso/step')).html).toContain('“f�”')
  })

  test('refuses disabled users and the guest', async () => {
    await site.setUp()
    await link()
    await site.db.update(users).set({ disabled: true })
    const seen = await signIn()
    expect(seen.status).toBe(403)
    expect(messageIn(seen)).toBeUndefined()
    expect(await site.db.select().from(sessions)).toEqual([])
    const events = await site.db.select().from(auditEvents)
    expect(events.at(-1)).toMatchObject({ kind: 'sign_in_refused', detail: 'disabled' })
  })
})

/** Signs in. @returns What the provider was asked. */
async function asked(platform = 'OIDC'): Promise<string[]> {
  const before = site.providers.asked.length
  const tid = '9188040d-6c67-4c5b-b112-36a304b66dad'
  const person = platform === 'Microsoft' ? { ...ALICE, tid } : ALICE
  expect(messageIn(await signIn(person))).toMatchObject({ token: expect.any(String) })
  return site.providers.asked.slice(before)
}

describe('what the provider publishes', () => {
  const DISCOVERY = 'GET https://idp.example.org/.well-known/openid-configuration'
  const TOKEN = 'POST https://idp.example.org/token'
  const KEYS = 'GET https://idp.example.org/keys'

  beforeEach(async () => {
    await site.setUp({ sso_auto_register: 'true' })
  })

  test('is read once, so that a sign-in asks for the token alone', async () => {
    expect(await asked()).toEqual([DISCOVERY, TOKEN, KEYS])
    expect(await asked()).toEqual([TOKEN])
    expect(await asked()).toEqual([TOKEN])
    site.now += 10 * MINUTE
    expect(await asked()).toEqual([DISCOVERY, TOKEN, KEYS])
  })

  test.each(['Google', 'Microsoft'])('is read once of %s too', async (platform) => {
    await site.setUp({ sso_login_platform: platform })
    await asked(platform)
    expect(await asked(platform)).toHaveLength(1)
  })

  test.each(['another name', 'the name of the old one'])(
    'is read again when the provider signs with another key, which has %s',
    async (name) => {
      await asked()
      await site.providers.changeKey(name === 'another name' ? 'k2' : 'k')
      expect(await asked()).toEqual([TOKEN, KEYS])
      expect(await asked()).toEqual([TOKEN])
    },
  )

  test('is read again after a failure, and of another provider', async () => {
    await asked()
    site.providers.mischief = { isForged: true }
    const refused = await signIn()
    expect(refused.status).toBe(400)
    expect(site.providers.asked.slice(-2)).toEqual([TOKEN, KEYS])
    site.providers.mischief = {}
    expect(await asked()).toEqual([DISCOVERY, TOKEN, KEYS])
    await site.setUp({ sso_endpoint_name: 'https://other.example.org' })
    expect(await asked()).toHaveLength(3)
  })
})
