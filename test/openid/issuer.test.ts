import { beforeEach, describe, expect, test } from 'vitest'
import { openidConsents } from '../../schema/tables.ts'
import { CheapSite } from '../support/cheap-site.ts'
import {
  AFTER_LOGOUT,
  answerIn,
  claimsIn,
  codeFor,
  exchangeCode,
  ISSUER as OWN,
  PASSWORD,
  refreshWith,
  register,
  type Registered,
  requestPath,
  signedIn,
  userInfo,
  withClient,
} from '../support/openid.ts'
import { refreshTo, Visitor } from '../support/visitor.ts'

/** Another scheme, host and port than those of the requests, which come to `http://localhost`. */
const SET = 'https://account.example.org:8443'
const DISCOVERY = '/.well-known/openid-configuration'

function siteWith(issuer: string): CheapSite {
  const bindings: Partial<Env> = JSON.parse(JSON.stringify({ ISSUER: issuer }))
  return new CheapSite({}, bindings)
}

describe('a site with ISSUER, whose requests come by another address', () => {
  let site: CheapSite
  let client: Registered
  let alice: Visitor

  beforeEach(async () => {
    site = siteWith(SET)
    client = await withClient(site)
    alice = await signedIn(site)
  })

  test('has this address in discovery, and at every endpoint', async () => {
    for (const path of [DISCOVERY, '/.well-known/oauth-authorization-server']) {
      const found: Record<string, unknown> = await (await site.fetch('GET', path)).json()
      expect(found['issuer']).toBe(SET)
      const addresses = Object.entries(found).filter(([name]) => /_endpoint$|_uri$/.test(name))
      for (const [name, address] of addresses)
        expect(String(address).startsWith(`${SET}/oauth/`), name).toBe(true)
    }
  })

  test('names it in the answer, in the ID token and in a refreshed one', async () => {
    const { location } = await alice.get(requestPath(client, { scope: 'openid offline_access' }))
    const { iss, code = '' } = answerIn(location)
    expect(iss).toBe(SET)
    const first = await exchangeCode(site, client, code)
    expect(claimsIn(first.id_token)['iss']).toBe(SET)
    const second = await refreshWith(site, client, first.refresh_token)
    expect(claimsIn(second.id_token)['iss']).toBe(SET)
    expect((await userInfo(site, second.access_token)).status).toBe(200)
  })

  test('names it in an error', async () => {
    const { location } = await alice.get(requestPath(client, { response_type: 'token' }))
    expect(answerIn(location)).toMatchObject({ error: 'unsupported_response_type', iss: SET })
  })

  test('leads to the sign-in and back by paths, so that browsers stay at their address', async () => {
    const visitor = new Visitor(site)
    const { location } = await visitor.get(requestPath(client))
    expect(location).toMatch(/^\/account\/sign-in\?next=\/oauth\/authorize/)
    const next = new URL(location ?? '', OWN).searchParams.get('next') ?? ''
    const form = { username: 'alice', password: PASSWORD, next }
    const { headers } = await visitor.post('/account/sign-in', form)
    const back = refreshTo(headers)
    expect(back).toMatch(/^\/oauth\/authorize\?/)
    expect(answerIn((await visitor.get(back)).location)).toMatchObject({ iss: SET })
  })

  test('ends the session of its own ID token, and asks about one of another address', async () => {
    const code = await codeFor(alice, client)
    const { id_token: hint, access_token: token } = await exchangeCode(site, client, code)
    const fields = { id_token_hint: hint, post_logout_redirect_uri: AFTER_LOGOUT }
    const path = `/oauth/end_session?${new URLSearchParams(fields).toString()}`
    const asked = await new Visitor(siteWith('')).get(path)
    expect(asked).toMatchObject({ status: 200, location: null })
    expect((await userInfo(site, token)).status).toBe(200)
    expect(await alice.get(path)).toMatchObject({ status: 302, location: AFTER_LOGOUT })
    expect((await userInfo(site, token)).status).toBe(401)
  })
})

describe('a site without ISSUER', () => {
  test('gives a program codes at the address that the program was told, and at no other', async () => {
    const site = siteWith('')
    await withClient(site)
    const alice = await signedIn(site)
    const told = await register(site, { name: 'told', issuer: OWN })
    const other = await register(site, { name: 'other', issuer: 'https://account.example.org' })
    expect(answerIn((await alice.get(requestPath(told))).location)).toMatchObject({ iss: OWN })
    const consent = { request: requestPath(other).split('?')[1] ?? '', user: '3', answer: 'allow' }
    for (const answer of [
      await alice.get(requestPath(other)),
      await alice.get(requestPath(other, { response_type: 'token' })),
      await alice.post('/oauth/authorize/consent', consent),
    ])
      expect(answer).toMatchObject({ status: 400, location: null })
    expect(await site.db.select().from(openidConsents)).toEqual([])
  })

  test('lets ISSUER, set later, replace what programs were told', async () => {
    const site = siteWith('')
    await withClient(site)
    const told = await register(site, { name: 'told', issuer: OWN })
    const alice = await signedIn(siteWith(SET))
    expect(answerIn((await alice.get(requestPath(told))).location)).toMatchObject({ iss: SET })
  })

  test.each([
    ['http://localhost:8787', 'http://localhost:8787'],
    ['https://account.example.org', 'https://account.example.org'],
    ['https://Account.Example.ORG:443', 'https://account.example.org'],
    ['https://account.example.org:8443', 'https://account.example.org:8443'],
  ])('asked at %s is %s', async (asked, issuer) => {
    const response = await siteWith('').fetch('GET', `${asked}${DISCOVERY}`)
    expect(await response.json()).toMatchObject({ issuer })
  })
})

test.each([
  ['a slash at the end', 'https://account.example.org/'],
  ['a host in capitals', 'https://Account.example.org'],
  ['the default port', 'https://account.example.org:443'],
  ['a path', 'https://account.example.org/oauth'],
  ['plain http', 'http://account.example.org'],
  ['no scheme', 'account.example.org'],
])(
  'ISSUER with %s gives no metadata and no code, so that no program learns it',
  async (_, text) => {
    const site = siteWith(text)
    const client = await withClient(site)
    const alice = await signedIn(site)
    for (const path of [DISCOVERY, requestPath(client)]) {
      const { status, location, html } = await alice.get(path)
      expect({ status, location }, path).toEqual({ status: 500, location: null })
      expect(html).not.toMatch(/account\.example\.org/i)
    }
  },
)
