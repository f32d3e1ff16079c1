import { eq } from 'drizzle-orm'
import { beforeEach, describe, expect, test } from 'vitest'
import { users } from '../../schema/tables.ts'
import { CheapSite } from '../support/cheap-site.ts'
import {
  answerIn,
  claimsIn,
  exchangeCode,
  ISSUER,
  PASSWORD,
  type Registered,
  register,
  requestPath,
  signedIn,
  withClientAndAlice,
} from '../support/openid.ts'
import { MINUTE, SECOND } from '../support/site.ts'
import { refreshTo, Visitor } from '../support/visitor.ts'

let site: CheapSite
let client: Registered
let alice: Visitor

beforeEach(async () => {
  site = new CheapSite()
  ;({ client, alice } = await withClientAndAlice(site))
})

const LOGIN = { prompt: 'login' }

const confirm = (fields: Record<string, string>, path = requestPath(client, LOGIN)) =>
  alice.post('/oauth/authorize/confirm', {
    request: path.split('?')[1] ?? '',
    user: '3',
    ...fields,
  })

/** The claims of the ID token that an answer leads to. */
async function claimsAt(location: string | null) {
  const { code = '' } = answerIn(location)
  return claimsIn((await exchangeCode(site, client, code)).id_token)
}

const secondsNow = () => Math.floor(site.now / 1000)

/** Turns two-step verification on, and signs in with it; returns the seed. */
async function withCode(): Promise<string> {
  const secret = await site.enrol(alice.cookies.get('session') ?? '')
  site.now += MINUTE
  alice = new Visitor(site)
  await alice.signIn('alice', PASSWORD, site.code(secret))
  site.now += MINUTE
  return secret
}

describe('a new proof for a program', () => {
  test('is the password and the code of a user who has both', async () => {
    const secret = await withCode()
    const { html } = await alice.get(requestPath(client, LOGIN))
    expect(html).toContain('name="confirm_password"')
    expect(html).toMatch(/<input id="confirm-confirm_code"[^>]* required/)
    const code = site.code(secret)
    for (const [fields, status] of [
      [{}, 403],
      [{ confirm_password: PASSWORD }, 403],
      [{ confirm_code: code }, 403],
      [{ confirm_password: 'wrong', confirm_code: code }, 403],
      [{ confirm_password: PASSWORD, confirm_code: '000000' }, 403],
    ] as const) {
      const refused = await confirm(fields)
      expect(refused).toMatchObject({ status, location: null })
      expect(refreshTo(refused.headers)).toBe('')
    }
    const done = await confirm({ confirm_password: PASSWORD, confirm_code: code })
    const { location } = await alice.get(refreshTo(done.headers))
    expect(await claimsAt(location)).toMatchObject({
      amr: ['pwd', 'otp', 'mfa'],
      auth_time: secondsNow(),
    })
  })

  test('is not the password of another user than the one who was asked', async () => {
    const { cookies } = alice
    await site.addUser('bob', { password: PASSWORD })
    alice = await signedIn(site, 'bob')
    const { location } = await confirm({ confirm_password: PASSWORD })
    expect(location).toBe(requestPath(client, LOGIN))
    alice.cookies.clear()
    for (const [name, value] of cookies) alice.cookies.set(name, value)
    expect(refreshTo((await confirm({ confirm_password: PASSWORD })).headers)).not.toBe('')
  })

  test('says only what was just shown', async () => {
    await withCode()
    await site.db.update(users).set({ totpSeed: null }).where(eq(users.id, 3))
    const done = await confirm({ confirm_password: PASSWORD })
    const { location } = await alice.get(refreshTo(done.headers))
    expect(await claimsAt(location)).toMatchObject({ amr: ['pwd'], auth_time: secondsNow() })
  })

  test('is not the password that made the session fresh on an account page', async () => {
    const signedInAt = secondsNow() + 60
    await withCode()
    site.now += 30 * MINUTE
    const token = alice.cookies.get('session') ?? ''
    const { code } = await site.post('/api/me/confirm', { password: PASSWORD }, { token })
    expect(code).toBe(200)
    expect((await alice.get(requestPath(client, { max_age: '60' }))).status).toBe(200)
    const { location } = await alice.get(requestPath(client))
    expect(await claimsAt(location)).toMatchObject({
      amr: ['pwd', 'otp', 'mfa'],
      auth_time: signedInAt,
    })
  })

  test('is good for its request and its session only, and for ten minutes', async () => {
    const done = await confirm({ confirm_password: PASSWORD })
    const to = refreshTo(done.headers)
    const proof = new URL(to, ISSUER).searchParams.get('proof') ?? ''
    const other = requestPath(client, { ...LOGIN, state: 'other' })
    expect((await alice.get(`${other}&proof=${proof}`)).status).toBe(200)
    const elsewhere = await signedIn(site)
    expect((await elsewhere.get(to)).status).toBe(200)
    expect((await alice.get(to.slice(0, -4))).status).toBe(200)
    site.now += 9 * MINUTE
    expect(answerIn((await alice.get(to)).location)).toHaveProperty('code')
    site.now += 2 * MINUTE
    expect((await alice.get(to)).status).toBe(200)
  })

  test('gives one code', async () => {
    const done = await confirm({ confirm_password: PASSWORD })
    const to = refreshTo(done.headers)
    expect(answerIn((await alice.get(to)).location)).toHaveProperty('code')
    const again = await alice.get(to)
    expect(again).toMatchObject({ status: 200, location: null })
    expect(again.html).toContain('action="/oauth/authorize/confirm"')
  })

  test('is older than max_age allows after a minute', async () => {
    const path = requestPath(client, { max_age: '1' })
    const done = await confirm({ confirm_password: PASSWORD }, path)
    site.now += MINUTE
    expect((await alice.get(refreshTo(done.headers))).location).toBeNull()
    site.now += 10 * MINUTE
    const soon = await confirm({ confirm_password: PASSWORD }, path)
    site.now += 5 * SECOND
    expect(answerIn((await alice.get(refreshTo(soon.headers))).location)).toHaveProperty('code')
  })

  test('outlasts the question for consent', async () => {
    client = await register(site, { name: 'third', firstParty: false })
    const done = await confirm({ confirm_password: PASSWORD })
    const page = await alice.get(refreshTo(done.headers))
    expect(page.status).toBe(200)
    const request = /name="request" value="([^"]*)"/.exec(page.html)?.[1] ?? ''
    const allowed = await alice.post('/oauth/authorize/consent', {
      request: request.replaceAll('&amp;', '&'),
      user: '3',
      answer: 'allow',
    })
    expect(await claimsAt(refreshTo(allowed.headers))).toMatchObject({ auth_time: secondsNow() })
  })
})

const NEEDS = [{ prompt: 'login' }, { max_age: '0' }, { prompt: 'select_account' }]

/** The page after the sign-in, while nobody is signed in. */
async function nextFor(visitor: Visitor, changes: Record<string, string>): Promise<string> {
  const { location } = await visitor.get(requestPath(client, changes))
  return new URL(location ?? '', ISSUER).searchParams.get('next') ?? ''
}

describe.each(NEEDS)('%o of a visitor who is not signed in', (changes) => {
  test('is met by the sign-in', async () => {
    const visitor = new Visitor(site)
    const next = await nextFor(visitor, changes)
    site.now += 30 * SECOND
    const done = await visitor.post('/account/sign-in', {
      username: 'alice',
      password: PASSWORD,
      next,
    })
    const { location } = await visitor.get(refreshTo(done.headers))
    expect(await claimsAt(location)).toMatchObject({ auth_time: secondsNow() })
  })

  test('is met by the sign-in once', async () => {
    const visitor = new Visitor(site)
    const next = await nextFor(visitor, changes)
    site.now += SECOND
    await visitor.signIn('alice', PASSWORD)
    expect(answerIn((await visitor.get(next)).location)).toHaveProperty('code')
    expect((await visitor.get(next)).location).toBeNull()
  })

  test('is not met by a sign-in before the request', async () => {
    const next = await nextFor(new Visitor(site), changes)
    expect((await alice.get(next)).status).toBe(200)
    expect((await alice.get(`/account/sign-in?next=${encodeURIComponent(next)}`)).location).toBe(
      next,
    )
  })

  test('is not met by an old request, whose sign-in was long ago', async () => {
    const visitor = new Visitor(site)
    const next = await nextFor(visitor, changes)
    site.now += SECOND
    await visitor.signIn('alice', PASSWORD)
    site.now += 11 * MINUTE
    expect((await visitor.get(next)).status).toBe(200)
  })

  test('is not met by a time that nobody has sealed', async () => {
    const path = requestPath(client, { ...changes, proof: 'x.eyJhdCI6MH0' })
    expect((await alice.get(path)).status).toBe(200)
  })

  test('is met after "Not you?"', async () => {
    site.now += 30 * SECOND
    const request = requestPath(client, changes).split('?')[1] ?? ''
    const { location } = await alice.post('/oauth/authorize/switch', { request, user: '3' })
    const next = new URL(location ?? '', ISSUER).searchParams.get('next') ?? ''
    site.now += SECOND
    await alice.signIn('alice', PASSWORD)
    expect(await claimsAt((await alice.get(next)).location)).toMatchObject({
      auth_time: secondsNow(),
    })
  })
})
