import { beforeEach, describe, expect, test } from 'vitest'
import { COMMAND_LINE } from '../../src/core/access/operators.ts'
import { rotateKey } from '../../src/capabilities/openid/keys.ts'
import { CheapSite } from '../support/cheap-site.ts'
import {
  AFTER_LOGOUT,
  answerIn,
  codeFor,
  exchangeCode,
  type Registered,
  register,
  requestPath,
  signedIn,
  userInfo,
  withClient,
} from '../support/openid.ts'
import { HOUR } from '../support/site.ts'
import { Visitor } from '../support/visitor.ts'

const LOGOUT_URI = 'https://files.example.org/logout'

let site: CheapSite
let client: Registered
let alice: Visitor
let bob: Visitor
let logoutTokens: string[]

beforeEach(async () => {
  logoutTokens = []
  site = new CheapSite({
    sendOut: async (_, { body }) => {
      if (body instanceof URLSearchParams) logoutTokens.push(body.get('logout_token') ?? '')
      return new Response(null)
    },
  })
  client = await withClient(site)
  await site.addUser('bob', { password: 'bob-Passw0rd' })
  alice = await signedIn(site)
  bob = await signedIn(site, 'bob', 'bob-Passw0rd')
})

async function grantOf(visitor: Visitor, at = client) {
  return exchangeCode(site, at, await codeFor(visitor, at))
}

const answerTo = async (visitor: Visitor, at: Registered, changes: Record<string, string>) =>
  answerIn((await visitor.get(requestPath(at, changes))).location)

const part = (value: object) => btoa(JSON.stringify(value)).replaceAll('=', '')

/** A text in the form of an ID token that this site has not signed. */
function forged(claims: object): string {
  return `${part({ alg: 'none' })}.${part(claims)}.`
}

describe('the hint of an authorization request', () => {
  test('that is not genuine tells nobody who is signed in', async () => {
    const third = await register(site, { name: 'third', firstParty: false })
    const claims = { iss: 'http://localhost', aud: third.clientId, sid: 's' }
    const { id_token: genuine } = await grantOf(alice)
    const hints = [
      forged({ ...claims, sub: '3' }),
      forged({ ...claims, sub: '4' }),
      `${genuine.slice(0, -8)}AAAAAAAA`,
      // Of another program.
      genuine,
      'x',
    ]
    for (const hint of hints)
      expect(await answerTo(alice, third, { prompt: 'none', id_token_hint: hint })).toMatchObject({
        error: 'login_required',
      })
    for (const hint of hints)
      expect((await alice.get(requestPath(third, { id_token_hint: hint }))).status).toBe(200)
  })

  test('that is genuine never gives a code for another user', async () => {
    const { id_token: hint } = await grantOf(alice)
    for (const changes of [{}, { prompt: 'none' }, { prompt: 'consent' }, { max_age: '1000' }])
      expect(await answerTo(bob, client, { ...changes, id_token_hint: hint })).toMatchObject({
        error: 'login_required',
        state: 'af0ifjsldkj',
      })
    expect(await answerTo(alice, client, { id_token_hint: hint })).toHaveProperty('code')
  })

  test('may have expired, and may be signed with the previous key', async () => {
    const { id_token: hint } = await grantOf(alice)
    site.now += 2 * HOUR
    await rotateKey(site.deps, COMMAND_LINE, { noticeSeconds: 0, dropsOthers: false })
    const silent = { prompt: 'none', id_token_hint: hint }
    expect(await answerTo(alice, client, silent)).toHaveProperty('code')
    expect(await answerTo(bob, client, silent)).toMatchObject({ error: 'login_required' })
  })

  test('costs one round trip more', async () => {
    const { id_token: hint } = await grantOf(alice)
    await alice.get(requestPath(client, { id_token_hint: hint }))
    expect(site.meter.roundTrips).toBe(2)
  })
})

test('a logout token is no ID token', async () => {
  const channel = await register(site, { name: 'channel', logoutUri: LOGOUT_URI })
  const second = await signedIn(site)
  await grantOf(second, channel)
  await second.post('/account/sign-out')
  await site.settle()
  const [hint = ''] = logoutTokens
  expect(hint.split('.')).toHaveLength(3)
  const silent = { prompt: 'none', id_token_hint: hint }
  expect(await answerTo(alice, channel, silent)).toMatchObject({ error: 'login_required' })
})

test('a logout token ends no session', async () => {
  const channel = await register(site, { name: 'channel', logoutUri: LOGOUT_URI })
  const got = await grantOf(alice, channel)
  const other = await register(site, { name: 'other' })
  const { access_token: alive } = await grantOf(alice, other)
  expect(got.status).toBe(200)
  // Removing the access of one program sends a logout token for a session that goes on.
  await alice.post('/account/programs/remove', { id: channel.clientId })
  await site.settle()
  const [hint = ''] = logoutTokens
  expect(hint.split('.')).toHaveLength(3)
  const query = new URLSearchParams({
    id_token_hint: hint,
    post_logout_redirect_uri: AFTER_LOGOUT,
  }).toString()
  expect((await alice.get(`/oauth/end_session?${query}`)).location).toBeNull()
  expect((await userInfo(site, alive)).status).toBe(200)
})
