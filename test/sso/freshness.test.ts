import { beforeEach, describe, expect, test } from 'vitest'
import { identities } from '../../schema/tables.ts'
import { ISSUER, passProvider, type Person } from '../support/identity-provider.ts'
import { prepared } from '../support/prepared.ts'
import { MINUTE } from '../support/site.ts'
import { SsoSite } from '../support/sso-site.ts'
import { Visitor } from '../support/visitor.ts'
import { ED1 } from '../reference/keys.ts'

const PASSWORD = 'alice-Passw0rd'
const SIGN_IN = '/account/sign-in/sso'
const ALICE: Person = { sub: '4711', name: 'Alice Doe' }
const GITHUB = 'https://github.com/login/oauth'
const FRESH_SECONDS = 600
const success = { code: 200, message: 'success', data: null }
const stale = { code: 403, message: 'Sign in again or confirm to do this', data: null }

let site: SsoSite
let visitor: Visitor

const addAlice = prepared(async (arranged: SsoSite) => {
  await arranged.addFirstUsers()
  const userId = await arranged.addUser('alice', { password: PASSWORD })
  const linked = { platform: 'OIDC', name: 'Alice Doe', linkedBy: 'user', linkedAt: arranged.now }
  const subject = ALICE.sub
  await arranged.db.insert(identities).values([
    { issuer: ISSUER, subject, userId, ...linked },
    { issuer: GITHUB, subject, userId, ...linked, platform: 'Github' },
  ])
})

beforeEach(async () => {
  site = new SsoSite()
  await addAlice(site)
  await site.setUp()
  visitor = new Visitor(site)
})

const secondsNow = () => Math.floor(site.now / 1000)

/** Signs in at the provider. @returns The token. */
async function signIn(claims: object = {}): Promise<string> {
  await passProvider(site.providers, visitor, SIGN_IN, { ...ALICE, ...claims })
  return visitor.cookies.get('session') ?? ''
}

/** Does what needs a fresh session. */
const addKey = (token: string) =>
  site.post('/api/me/sshkey/add', { title: 'laptop', key: ED1 }, { token })

describe('a session that began at an identity provider', () => {
  test('is fresh after a sign-in there that is younger than FRESH_MINUTES', async () => {
    const auth_time = secondsNow() - FRESH_SECONDS + 1
    expect(await addKey(await signIn({ auth_time }))).toEqual(success)
  })

  test('is not fresh after a silent round trip to a provider that has asked nothing', async () => {
    const auth_time = secondsNow() - FRESH_SECONDS
    expect(await addKey(await signIn({ auth_time }))).toEqual(stale)
  })

  test('grows old from the sign-in at the provider on', async () => {
    const token = await signIn({ auth_time: secondsNow() - FRESH_SECONDS / 2 })
    site.now += (FRESH_SECONDS / 2) * 1000
    expect(await addKey(token)).toEqual(stale)
  })

  test.each([
    ['that tells no time', 'OIDC', {}],
    ['GitHub', 'Github', {}],
    ['whose clock is far ahead', 'OIDC', { auth_time: 4_000_000_000 }],
  ])('is never fresh by itself at a provider %s', async (_, platform, claims) => {
    await site.setUp({ sso_login_platform: platform })
    expect(await addKey(await signIn(claims))).toEqual(stale)
  })

  test('is asked for with the time of the sign-in, where the provider knows that request', async () => {
    const claimsAsked = async () => {
      const { location } = await new Visitor(site).get(SIGN_IN)
      return new URL(location ?? '').searchParams.get('claims')
    }
    expect(await claimsAsked()).toBeNull()
    const metadata = { issuer: ISSUER, authorization_endpoint: `${ISSUER}/authorize` }
    const answer = () => Response.json({ ...metadata, claims_parameter_supported: true })
    site.providers.mischief = { answers: { '/.well-known/openid-configuration': answer } }
    site.now += 10 * MINUTE
    expect(await claimsAsked()).toBe('{"id_token":{"auth_time":null}}')
  })

  test('is fresh no longer when the clock of the provider is a little ahead', async () => {
    const token = await signIn({ auth_time: secondsNow() + 30 })
    site.now += FRESH_SECONDS * 1000
    expect(await addKey(token)).toEqual(stale)
  })

  test('is fresh once it is confirmed', async () => {
    const token = await signIn()
    expect(await site.post('/api/me/confirm', { password: PASSWORD }, { token })).toEqual(success)
    expect(await addKey(token)).toEqual(success)
  })

  test('is fresh after the code of the account, which this site has just asked for', async () => {
    const secret = await site.enrol(await site.token('alice', PASSWORD))
    site.now += MINUTE
    await signIn({ auth_time: 1 })
    await visitor.post(`${SIGN_IN}/code`, { code: site.code(secret) })
    const token = visitor.cookies.get('session') ?? ''
    expect(await addKey(token)).toEqual(success)
    site.now += FRESH_SECONDS * 1000
    expect(await addKey(token)).toEqual(stale)
  })
})
