import { beforeEach, describe, expect, test } from 'vitest'
import { CheapSite } from '../support/cheap-site.ts'
import {
  answerIn,
  codeFor,
  exchangeCode,
  PASSWORD,
  refreshWith,
  type Registered,
  register,
  requestPath,
  signedIn,
  withClientAndAlice,
} from '../support/openid.ts'
import { ADMIN_PASSWORD, MINUTE } from '../support/site.ts'
import { refreshTo, type Visitor } from '../support/visitor.ts'

const ALICE = 3
const OFFLINE = { scope: 'openid offline_access' }

let site: CheapSite
let client: Registered
let alice: Visitor
let freshSeconds: number | 'always'

beforeEach(async () => {
  freshSeconds = 600
  site = new CheapSite({ freshSeconds: () => freshSeconds })
  ;({ client, alice } = await withClientAndAlice(site))
})

const tokenOf = (visitor: Visitor) => visitor.cookies.get('session') ?? ''

async function eventsOfAlice(): Promise<{ kind: string; detail: string }[]> {
  const { data } = await site.get('/api/me/events', { token: tokenOf(alice) })
  return data.content
}

describe('offline_access', () => {
  test('is given in a fresh session, with an event', async () => {
    const got = await exchangeCode(site, client, await codeFor(alice, client, OFFLINE))
    expect(got).toHaveProperty('refresh_token')
    const [latest] = await eventsOfAlice()
    expect(latest).toMatchObject({ kind: 'offline_access_given', detail: 'files' })
  })

  test('is given in an old session only after a confirmation', async () => {
    site.now += 11 * MINUTE
    const asked = await alice.get(requestPath(client, OFFLINE))
    expect(asked).toMatchObject({ status: 200, location: null })
    expect(asked.html).toContain('action="/oauth/authorize/confirm"')
    expect((await eventsOfAlice()).map(({ kind }) => kind)).not.toContain('offline_access_given')
    const request = requestPath(client, OFFLINE).split('?')[1] ?? ''
    const fields = { request, user: String(ALICE), confirm_password: PASSWORD }
    const done = await alice.post('/oauth/authorize/confirm', fields)
    const { code = '' } = answerIn((await alice.get(refreshTo(done.headers))).location)
    expect(await exchangeCode(site, client, code)).toHaveProperty('refresh_token')
  })

  test('is given in an old session only after a confirmation, also with consent', async () => {
    const third = await register(site, { name: 'third', firstParty: false })
    site.now += 11 * MINUTE
    const request = requestPath(third, OFFLINE).split('?')[1] ?? ''
    const fields = { request, user: String(ALICE), answer: 'allow' }
    const page = await alice.post('/oauth/authorize/consent', fields)
    expect(refreshTo(page.headers)).toBe('')
    expect(page.html).toContain('action="/oauth/authorize/confirm"')
  })

  test('is refused in an old session to a program that allows no page', async () => {
    site.now += 11 * MINUTE
    const { location } = await alice.get(requestPath(client, { ...OFFLINE, prompt: 'none' }))
    expect(answerIn(location)).toMatchObject({ error: 'login_required' })
  })

  test('needs no fresh session when FRESH_MINUTES is 0', async () => {
    freshSeconds = 'always'
    site.now += 60 * MINUTE
    expect(await codeFor(alice, client, OFFLINE)).not.toBe('')
  })
})

/** A thief has a refresh token of another session, and has signed out in it or not. */
const STOLEN = ['whose session is live', 'whose session has signed out'] as const

async function stolenToken(state: (typeof STOLEN)[number]): Promise<string> {
  const thief = await signedIn(site)
  const got = await exchangeCode(site, client, await codeFor(thief, client, OFFLINE))
  if (state === 'whose session has signed out') await thief.post('/account/sign-out')
  return got.refresh_token ?? ''
}

const isGood = async (token: string) => (await refreshWith(site, client, token)).status === 200

const as = (visitor: Visitor) => ({ token: tokenOf(visitor) })
const asAdmin = async () => ({ token: await site.token('admin', ADMIN_PASSWORD) })

const ENDINGS: [string, () => Promise<unknown>][] = [
  ['delete_others', () => site.post('/api/me/sessions/delete_others', undefined, as(alice))],
  ['two-step verification', () => site.enrol(tokenOf(alice))],
  [
    'an operator who turns two-step verification off',
    async () => site.post(`/api/admin/user/cancel_2fa?id=${ALICE}`, undefined, await asAdmin()),
  ],
]

describe.each(STOLEN)('a refresh token %s', (state) => {
  test.each(ENDINGS)('ends with %s', async (_, end) => {
    const token = await stolenToken(state)
    await end()
    expect(await isGood(token)).toBe(false)
  })

  test('ends when two-step verification is turned off', async () => {
    const secret = await site.enrol(tokenOf(alice))
    site.now += MINUTE
    const thief = await site.token('alice', PASSWORD, site.code(secret))
    alice.cookies.set('session', thief)
    const got = await exchangeCode(site, client, await codeFor(alice, client, OFFLINE))
    if (state === 'whose session has signed out') await alice.post('/account/sign-out')
    site.now += MINUTE
    const owner = await site.token('alice', PASSWORD, site.code(secret))
    site.now += MINUTE
    const off = { otp_code: site.code(secret) }
    await site.post('/api/auth/2fa/disable', off, { token: owner })
    expect(await isGood(got.refresh_token ?? '')).toBe(false)
  })
})

describe('a refresh token', () => {
  test.each(['its user', 'an operator'])('ends with its session, which %s ends', async (who) => {
    const before = await site.get('/api/me/sessions', as(alice))
    const known = before.data.content.map(({ id }: { id: string }) => id)
    const token = await stolenToken('whose session is live')
    const { data } = await site.get('/api/me/sessions', as(alice))
    const { id } = data.content.find((item: { id: string }) => !known.includes(item.id))
    if (who === 'its user')
      await site.post(`/api/me/sessions/delete?id=${id}`, undefined, as(alice))
    else {
      const admin = await signedIn(site, 'admin', ADMIN_PASSWORD)
      await admin.post(`/account/admin/users/${ALICE}/end-session`, { id })
    }
    expect(await isGood(token)).toBe(false)
  })

  test('of the present session stays when the others end', async () => {
    const got = await exchangeCode(site, client, await codeFor(alice, client, OFFLINE))
    await site.post('/api/me/sessions/delete_others', undefined, as(alice))
    expect(await isGood(got.refresh_token ?? '')).toBe(true)
  })
})
