import { eq } from 'drizzle-orm'
import { beforeEach, describe, expect, test } from 'vitest'
import { identities, usedChallenges, users } from '../../schema/tables.ts'
import { BROWSER, ISSUER, passProvider, type Person } from '../support/identity-provider.ts'
import { prepared } from '../support/prepared.ts'
import { HOUR } from '../support/site.ts'
import { SsoSite } from '../support/sso-site.ts'
import { Visitor } from '../support/visitor.ts'

const START = '/api/auth/sso?method=sso_get_token'
const START_ID = '/api/auth/sso?method=get_sso_id'
const STRANGER: Person = { sub: '815', name: 'Mallory' }
const ALICE: Person = { sub: '4711', name: 'Alice Doe' }
/** Of a network, in an hour. */
const MOST = 60

let site: SsoSite

const addAlice = prepared(async (arranged: SsoSite) => {
  await arranged.addFirstUsers()
  const userId = await arranged.addUser('alice')
  const identity = { issuer: ISSUER, subject: ALICE.sub, platform: 'OIDC', name: '' }
  const linked = { linkedBy: 'user', linkedAt: arranged.now, userId }
  await arranged.db.insert(identities).values({ ...identity, ...linked })
  await arranged.setUp()
})

beforeEach(async () => {
  site = new SsoSite()
  await addAlice(site)
})

/** Signs in at the provider and comes back. */
async function comeBack(person: Person, { start = START, network = '192.0.2.1' } = {}) {
  const visitor = new Visitor(site, { 'CF-Connecting-IP': network })
  const { status } = await passProvider(site.providers, visitor, start, person)
  await site.settle()
  return { status, rowsWritten: site.meter.rowsWritten }
}

describe('what a stranger writes with callbacks', () => {
  test.each([
    ['an error of the provider', '&error=access_denied', 403],
    ['a code that the provider does not know', '&code=guessed', 400],
    ['nothing', '', 400],
  ])('is nothing for %s', async (_, answer, status) => {
    const visitor = new Visitor(site)
    const { location } = await visitor.get(START, BROWSER)
    const state = new URL(location ?? '').searchParams.get('state') ?? ''
    const back = `/api/auth/sso_callback?method=sso_get_token&state=${state}${answer}`
    expect((await visitor.get(back, BROWSER)).status).toBe(status)
    expect(site.meter.rowsWritten).toBe(0)
    expect(await site.db.select().from(usedChallenges)).toEqual([])
  })

  test.each([
    ['a token', START],
    ['an id', START_ID],
  ])('is bounded a network and a /48, when the provider knows them: %s', async (_, start) => {
    const networks = ['2001:db8:1:1::1', '2001:db8:1:2::1', '2001:db8:1:3::1']
    for (const network of networks)
      for (let i = 0; i < MOST; i += 1) await comeBack(STRANGER, { start, network })
    expect(await site.db.select().from(usedChallenges)).toHaveLength(2 * MOST)
    for (const network of networks)
      expect(await comeBack(STRANGER, { start, network })).toEqual({ status: 429, rowsWritten: 0 })
    expect(await comeBack(ALICE, { network: networks[0] })).toMatchObject({ status: 200 })
    site.now += HOUR
    expect(await comeBack(STRANGER, { start, network: networks[0] })).not.toMatchObject({
      status: 429,
    })
  })

  test('is bounded for the owner of a disabled account', async () => {
    await site.db.update(users).set({ disabled: true }).where(eq(users.username, 'alice'))
    for (let i = 0; i < MOST; i += 1) await comeBack(ALICE)
    expect(await comeBack(ALICE)).toEqual({ status: 429, rowsWritten: 0 })
  })

  test('is bounded where the provider may create accounts', async () => {
    await site.setUp({ sso_auto_register: 'true', sso_default_permission: '0' })
    for (let i = 0; i < MOST; i += 1) await comeBack({ sub: `sub-${i}`, name: `user-${i}` })
    expect(await comeBack({ sub: 'one-more', name: 'one-more' })).toEqual({
      status: 429,
      rowsWritten: 0,
    })
    expect(await site.db.select().from(users)).toHaveLength(3 + MOST)
  })
})

describe('GET /account/sign-in/sso', () => {
  const OWN = '/account/sign-in/sso?next=/account/keys'

  test.each(['cross-site', 'same-site'])('shows its button to who comes %s', async (from) => {
    const visitor = new Visitor(site)
    const seen = await visitor.get(OWN, { ...BROWSER, 'Sec-Fetch-Site': from })
    expect([seen.status, seen.location]).toEqual([303, '/account/sign-in?next=/account/keys'])
    expect(seen.headers.getSetCookie()).toEqual([])
  })

  test.each(['same-origin', 'none'])('goes to the provider for who comes %s', async (from) => {
    const { location } = await new Visitor(site).get(OWN, { ...BROWSER, 'Sec-Fetch-Site': from })
    expect(location).toMatch(ISSUER)
  })

  test('leaves the session of a visitor who is signed in', async () => {
    const visitor = new Visitor(site)
    await passProvider(site.providers, visitor, OWN, ALICE)
    const session = visitor.cookies.get('session')
    expect(session).toBeDefined()
    expect((await visitor.get(OWN, BROWSER)).location).toBe('/account/sign-in?next=/account/keys')
    expect((await visitor.get('/account/sign-in?next=/account/keys')).location).toBe(
      '/account/keys',
    )
    expect(visitor.cookies.get('session')).toBe(session)
  })
})
