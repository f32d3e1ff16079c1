import { eq } from 'drizzle-orm'
import { beforeEach, describe, expect, test } from 'vitest'
import { sessions, users } from '../../schema/tables.ts'
import { staticDigest } from '../../src/core/passwords/passwords.ts'
import { createKeyRing } from '../../src/core/crypto/key-ring.ts'
import { sealBox } from '../../src/core/crypto/sealed-box.ts'
import { CheapSite } from '../support/cheap-site.ts'
import { SECRET_KEYS } from '../support/secrets.ts'
import { MINUTE, SECOND } from '../support/site.ts'
import { alertIn, problemAt, textOf, valueOf, Visitor } from '../support/visitor.ts'

const SIGN_IN = '/account/sign-in'
const CODE = '/account/sign-in/code'
const alice = { username: 'alice', password: 'alice-Passw0rd' }
const wrong = { ...alice, password: 'wrong-Passw0rd' }

let site: CheapSite
let visitor: Visitor

beforeEach(async () => {
  site = new CheapSite()
  visitor = new Visitor(site)
  await site.addFirstUsers()
  await site.addUser('alice', { password: alice.password })
})

/** Alice with two-step verification on; the code shown now was not used yet. */
async function enrolAlice(): Promise<string> {
  return site.enrol(await site.token(alice.username, alice.password))
}

describe('who is not signed in', () => {
  test('is led from the root to the sign-in page', async () => {
    expect(await visitor.get('/')).toMatchObject({ status: 302, location: '/account' })
    expect(await visitor.get('/account')).toMatchObject({ status: 303, location: SIGN_IN })
    for (const path of ['/account/keys', '/account/nope']) {
      const location = `${SIGN_IN}?next=${path}`
      expect(await visitor.get(path), path).toMatchObject({ status: 303, location })
    }
    const { status, html } = await visitor.get(SIGN_IN)
    expect(status).toBe(200)
    expect(html).toMatch(/<input[^>]*autocomplete="username webauthn"/)
    expect(html).toMatch(/<input[^>]*autocomplete="current-password"/)
  })

  test('changes nothing with any form', async () => {
    for (const path of ['keys/add', 'security/password', 'security/start', 'sessions/end-others']) {
      const seen = await visitor.post(`/account/${path}`, { title: 'x', key: 'x' })
      const location = `${SIGN_IN}?next=/account/${path}`
      expect(seen, path).toMatchObject({ status: 303, location })
    }
  })

  test('comes back by itself after a link on another site, for which browsers hold the cookie back', async () => {
    const elsewhere = { 'Sec-Fetch-Site': 'cross-site' }
    const { status, headers, html } = await visitor.get('/account/keys', elsewhere)
    expect([status, headers.get('Refresh')]).toEqual([200, '0; url=/account/keys'])
    expect(html).toContain('href="/account/keys">')
    for (const path of ['/account/x%0d%0aX', '/account/x%00', '/account/%E2%98%83', '/account/%']) {
      const odd = await visitor.get(path, elsewhere)
      expect([odd.status, odd.headers.get('Refresh')], path).toEqual([200, `0; url=${path}`])
    }
    const here = { 'Sec-Fetch-Site': 'same-origin' }
    const location = `${SIGN_IN}?next=/account/keys`
    expect(await visitor.get('/account/keys', here)).toMatchObject({ location })
  })
})

describe('a deep link', () => {
  test('is kept through the sign-in, its code and a language chosen on the way', async () => {
    const secret = await enrolAlice()
    const page = '/account/activity?page=2'
    const { location } = await visitor.get(page)
    expect(location).toBe(`${SIGN_IN}?next=/account/activity%3Fpage%3D2`)
    const { html } = await visitor.get(location ?? '')
    expect(html).toContain(`<input type="hidden" name="next" value="${page}"/>`)
    const [, path = ''] = /name="path" value="([^"]*)"/.exec(html) ?? []
    const chosen = await visitor.post('/account/language', { language: 'en', path })
    expect((await visitor.get(chosen.location ?? '')).html).toContain(`value="${page}"`)
    const refused = await visitor.post(SIGN_IN, { ...wrong, next: page })
    expect(refused.html).toContain(`name="next" value="${page}"`)
    const first = await visitor.post(SIGN_IN, { ...alice, next: page })
    expect(first.location).toBe(`${CODE}?next=/account/activity%3Fpage%3D2`)
    const second = await visitor.get(first.location ?? '')
    expect(second.html).toContain(`name="next" value="${page}"`)
    const code = { code: site.code(secret), next: page }
    expect(await visitor.post(CODE, code)).toMatchObject({ status: 303, location: page })
  })

  test('leads on at once who is signed in already', async () => {
    await visitor.signIn(alice.username, alice.password)
    const seen = await visitor.get(`${SIGN_IN}?next=/account/keys`)
    expect(seen).toMatchObject({ status: 303, location: '/account/keys' })
  })

  test.each([
    '//evil.example',
    '/\\evil.example',
    'https://evil.example',
    '/account/../x',
    '/account/sign-in',
  ])('leads to no other site and to no page of the sign-in: %s', async (next) => {
    const { html } = await visitor.get(`${SIGN_IN}?next=${encodeURIComponent(next)}`)
    expect(html).not.toContain('name="next"')
    expect(await visitor.post(SIGN_IN, { ...alice, next })).toMatchObject({ location: '/account' })
  })
})

describe('signing in', () => {
  test('keeps the token in a cookie that scripts and other sites do not get', async () => {
    expect(await visitor.post(SIGN_IN, alice)).toMatchObject({ status: 303, location: '/account' })
    const [line = ''] = visitor.setCookies
    expect(line).toMatch(
      /^session=ey[\w-]+\.[\w-]+\.[\w-]+; Max-Age=172800; Path=\/; HttpOnly; SameSite=Strict$/,
    )
    expect(textOf((await visitor.get('/account')).html)).toContain('Hello, alice')
    expect(await visitor.get(SIGN_IN)).toMatchObject({ status: 303, location: '/account' })
  })

  test('binds the cookie to host and https where there is https', async () => {
    await visitor.post(`https://accounts.example.org${SIGN_IN}`, alice)
    const [line = ''] = visitor.setCookies
    expect(line).toMatch(
      /^__Host-session=ey[^;]+; Max-Age=172800; Path=\/; HttpOnly; Secure; SameSite=Strict$/,
    )
    const { html } = await visitor.get('https://accounts.example.org/account')
    expect(textOf(html)).toContain('Hello, alice')
  })

  test('makes a session like that of the API, which itself reads no cookie', async () => {
    await visitor.post(SIGN_IN, alice)
    const token = visitor.cookies.get('session') ?? ''
    expect(await site.get('/api/me', { token })).toMatchObject({ data: { username: 'alice' } })
    const cookie = { headers: { Cookie: `session=${token}` } }
    expect(await site.get('/api/me', cookie)).toMatchObject({ code: 401 })
  })

  test('is refused with the name kept and the password not shown', async () => {
    const { status, html } = await visitor.post(SIGN_IN, { ...wrong, username: 'al"ice<b>' })
    expect(status).toBe(403)
    expect(alertIn(html)).toBe('User name or password is wrong, or the account is disabled.')
    expect(valueOf(html, 'username')).toBe('al&quot;ice&lt;b&gt;')
    expect(html).not.toContain('wrong-Passw0rd')
    expect(visitor.setCookies).toEqual([])
  })

  test('says at which field something is missing', async () => {
    const { status, html } = await visitor.post(SIGN_IN, { username: 'alice' })
    expect(status).toBe(400)
    expect(problemAt(html, 'password')).toBe('This is required.')
    expect(problemAt(html, 'username')).toBeUndefined()
  })

  test('says in minutes, then in seconds, how long to wait', async () => {
    for (let failures = 0; failures < 5; failures++) await visitor.post(SIGN_IN, wrong)
    const first = await visitor.post(SIGN_IN, alice)
    expect([first.status, first.headers.get('Retry-After')]).toEqual([429, '300'])
    expect(alertIn(first.html)).toBe('Too many failed attempts. Try again in 5 minutes.')
    expect(textOf(first.html)).toContain('Sign-in is paused')
    expect(textOf(first.html)).not.toContain('can give you a new password')
    expect(textOf(first.html)).toContain('can let you in at once')
    expect(first.html).not.toMatch(/type="password"|href="\/account\/sign-in"/)
    expect(first.headers.get('Refresh')).toBe('300; url=/account/sign-in')
    site.now += 61 * SECOND
    const second = await visitor.post(SIGN_IN, alice)
    expect(alertIn(second.html)).toBe('Too many failed attempts. Try again in 4 minutes.')
    site.now += 3 * MINUTE + 30 * SECOND
    const third = await visitor.post(SIGN_IN, alice)
    expect(alertIn(third.html)).toBe('Too many failed attempts. Try again in 29 seconds.')
    site.now += 29 * SECOND
    await visitor.signIn(alice.username, alice.password)
  })

  test.each([
    ['from another site', { Origin: 'https://evil.example', 'Sec-Fetch-Site': 'cross-site' }],
    ['from a sandbox', { Origin: 'null' }],
    [
      'from the same site, another host',
      { Origin: 'https://b.localhost', 'Sec-Fetch-Site': 'same-site' },
    ],
  ])('takes no form %s', async (_, headers) => {
    const { status, html } = await visitor.post(SIGN_IN, alice, headers)
    expect(status).toBe(403)
    expect(textOf(html)).toContain('This form was sent from another site')
    expect(visitor.setCookies).toEqual([])
    expect(await site.db.select().from(sessions)).toEqual([])
  })

  test.each(['application/json', 'text/plain', 'multipart/form-data; boundary=x'])(
    'takes no form of type %s',
    async (type) => {
      expect(await visitor.post(SIGN_IN, alice, { 'Content-Type': type })).toMatchObject({
        status: 400,
      })
      expect(visitor.setCookies).toEqual([])
    },
  )

  test('takes no form above 64 KiB', async () => {
    const seen = await visitor.post(SIGN_IN, { ...alice, password: 'x'.repeat(70_000) })
    expect(seen.status).toBe(413)
  })
})

describe('signing in with two-step verification', () => {
  test('asks for the code, and for the password no second time', async () => {
    const secret = await enrolAlice()
    expect(await visitor.post(SIGN_IN, alice)).toMatchObject({ status: 303, location: CODE })
    expect(visitor.setCookies).toEqual([
      expect.stringMatching(
        /^sign-in=[^;]+; Max-Age=300; Path=\/account\/sign-in; HttpOnly; SameSite=Strict$/,
      ),
    ])
    const { html } = await visitor.get(CODE)
    expect(textOf(html)).toContain('One more step for alice.')
    expect(html).toMatch(/<input[^>]*autocomplete="one-time-code"/)
    expect(html).toContain('<details class="lost"><summary>Trouble with the code?</summary>')
    for (const hidden of [alice.password, await staticDigest(alice.password)]) {
      expect(html + visitor.setCookies.join()).not.toContain(hidden)
    }
    const code = site.code(secret)
    expect(await visitor.post(CODE, { code })).toMatchObject({ status: 303, location: '/account' })
    expect([...visitor.cookies.keys()]).toEqual(['session'])
  })

  test('is refused for a wrong code, which can be mended', async () => {
    const secret = await enrolAlice()
    await visitor.post(SIGN_IN, alice)
    for (const [code, status, problem] of [
      ['000000', 402, 'This code is wrong or was already used. Wait for the next code.'],
      ['', 400, 'This is required.'],
    ] as const) {
      const seen = await visitor.post(CODE, { code })
      expect([seen.status, problemAt(seen.html, 'code')]).toEqual([status, problem])
      expect(seen.html).toContain('<details class="lost" open')
    }
    expect(visitor.cookies.has('session')).toBe(false)
    expect(await visitor.post(CODE, { code: site.code(secret) })).toMatchObject({
      location: '/account',
    })
  })

  test('takes a recovery code', async () => {
    const token = await site.token(alice.username, alice.password)
    const secret = await site.enrol(token)
    const body = { otp_code: site.code(secret) }
    const { data } = await site.post('/api/auth/2fa/recovery_codes', body, { token })
    await visitor.signIn(alice.username, alice.password, data.recovery_codes[0])
    expect(visitor.cookies.has('session')).toBe(true)
  })

  test('starts over after five minutes', async () => {
    const secret = await enrolAlice()
    await visitor.post(SIGN_IN, alice)
    site.now += 5 * MINUTE
    expect(await visitor.get(CODE)).toMatchObject({ status: 303, location: SIGN_IN })
    const seen = await visitor.post(CODE, { code: site.code(secret) })
    expect(seen).toMatchObject({ status: 303, location: `${SIGN_IN}?done=session-over` })
    expect(visitor.cookies.has('session')).toBe(false)
  })

  test('starts over when the password was changed meanwhile', async () => {
    const secret = await enrolAlice()
    await visitor.post(SIGN_IN, alice)
    await site.db.update(users).set({ passwordHash: null }).where(eq(users.username, 'alice'))
    const { status, html } = await visitor.post(CODE, { code: site.code(secret) })
    expect(status).toBe(403)
    expect(alertIn(html)).toBe('User name or password is wrong, or the account is disabled.')
    expect(valueOf(html, 'username')).toBe('alice')
  })

  test('opens no cookie that is altered or was sealed for something else', async () => {
    await enrolAlice()
    await visitor.post(SIGN_IN, alice)
    const sealed = visitor.cookies.get('sign-in') ?? ''
    const content = new TextEncoder().encode('{"username":"a","digest":"b","expiresAt":9e15}')
    const ring = await createKeyRing(SECRET_KEYS)
    const forSeed = await sealBox(site.deps, ring, new Uint8Array(content), 'totp/3')
    const flipped = sealed.slice(0, -2) + (sealed.at(-2) === 'A' ? 'B' : 'A') + sealed.slice(-1)
    for (const box of [flipped, forSeed, 'x', '', `${sealed}x`]) {
      visitor.cookies.set('sign-in', box)
      expect(await visitor.get(CODE), box).toMatchObject({ status: 303, location: SIGN_IN })
    }
  })

  test('tells a guesser without the password nothing', async () => {
    await enrolAlice()
    const { status, html } = await visitor.post(SIGN_IN, wrong)
    expect([status, alertIn(html)]).toEqual([
      403,
      'User name or password is wrong, or the account is disabled.',
    ])
    expect(visitor.setCookies).toEqual([])
  })
})

describe('the end of a session', () => {
  beforeEach(() => visitor.signIn(alice.username, alice.password))

  test('comes with signing out', async () => {
    const seen = await visitor.post('/account/sign-out')
    expect(seen).toMatchObject({ status: 303, location: `${SIGN_IN}?done=signed-out` })
    expect(visitor.cookies.has('session')).toBe(false)
    expect(await site.db.select().from(sessions)).toEqual([])
    expect(textOf((await visitor.get(`${SIGN_IN}?done=signed-out`)).html)).toContain(
      'You are signed out.',
    )
  })

  test('is told on whatever page comes next, and its cookie goes', async () => {
    await site.db.delete(sessions)
    const seen = await visitor.get('/account/keys')
    expect(seen).toMatchObject({
      status: 303,
      location: `${SIGN_IN}?next=/account/keys&done=session-over`,
    })
    expect(visitor.cookies.has('session')).toBe(false)
  })

  test('is what a token that is none amounts to', async () => {
    visitor.cookies.set('session', 'none')
    const seen = await visitor.post('/account/keys/add', { title: 'x', key: 'x' })
    expect(seen).toMatchObject({
      status: 303,
      location: `${SIGN_IN}?next=/account/keys/add&done=session-over`,
    })
    expect(visitor.cookies.has('session')).toBe(false)
  })

  test('is told in none but our own words', async () => {
    const { html } = await visitor.get('/account?done=Send%20your%20password')
    expect(html).not.toContain('Send')
    expect(html).not.toContain('role="status"')
    expect((await visitor.get('/account?done=constructor')).html).not.toContain('role="status"')
  })
})
