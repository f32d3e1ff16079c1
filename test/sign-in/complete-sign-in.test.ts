import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, test } from 'vitest'
import {
  auditEvents,
  recoveryCodes,
  sessions,
  throttleCounters,
  users,
} from '../../schema/tables.ts'
import { CheapSite } from '../support/cheap-site.ts'
import { SECOND } from '../support/site.ts'

const PASSWORD = 'alice-Passw0rd'
const wrongCode = { code: 402, message: 'Invalid 2FA code', data: null }
const signedIn = { code: 200, message: 'success', data: { token: expect.any(String) } }

/** A statement that changes a row, and has nothing to do with those beside it. */
const FOREIGN = "update users set sso_id = sso_id || 'x' where role = 0"

/** A D1 in whose transactions a foreign statement stands before and after every other. */
function crowdedD1(): D1Database {
  return new Proxy(env.DB, {
    get: (d1, name) =>
      name === 'withSession' ? () => crowded(d1.withSession('first-primary')) : undefined,
  })
}

function crowded(session: D1DatabaseSession): D1DatabaseSession {
  return {
    prepare: (query) => session.prepare(query),
    async batch<Row>(statements: D1PreparedStatement[]) {
      const foreign = () => session.prepare(FOREIGN)
      const crowd = statements.flatMap((statement) => [foreign(), statement])
      const results = await session.batch<Row>([...crowd, foreign()])
      return results.filter((_, index) => index % 2 === 1)
    },
    getBookmark: () => session.getBookmark(),
  }
}

let site: CheapSite
/** The same site, where foreign statements slip in between. */
let crowdedSite: CheapSite
let secret: string
let recoveryCode: string

beforeEach(async () => {
  site = new CheapSite()
  crowdedSite = new CheapSite({}, { DB: crowdedD1() })
  await site.addUser('alice', { password: PASSWORD })
  const token = await site.token('alice', PASSWORD)
  secret = await site.enrol(token)
  const body = { otp_code: site.code(secret) }
  const { data } = await site.post('/api/auth/2fa/recovery_codes', body, { token })
  recoveryCode = data.recovery_codes[0]
  await site.db.delete(sessions)
  await site.db.delete(throttleCounters)
})

const signIn = (code: string) => crowdedSite.login('alice', PASSWORD, code)

describe('among the statements of others', () => {
  test('a wrong code begins no session', async () => {
    for (const code of ['000000', 'AAAA-BBBB-CCCC-DDDD']) {
      expect(await signIn(code)).toEqual(wrongCode)
    }
    expect(await site.db.select().from(sessions)).toEqual([])
    const events = await site.db.select().from(auditEvents)
    expect(events.filter(({ kind }) => kind === 'recovery_code_used')).toEqual([])
  })

  test('a code begins one, and none the second time', async () => {
    crowdedSite.now += 30 * SECOND
    const code = crowdedSite.code(secret)
    expect(await signIn(code)).toEqual(signedIn)
    expect(await signIn(code)).toEqual(wrongCode)
    const [session, ...others] = await site.db.select().from(sessions)
    expect(others).toEqual([])
    const [alice] = await site.db.select().from(users)
    expect(alice?.totpSession).toBe(session?.id)
  })

  test('a recovery code begins one, and none the second time', async () => {
    expect(await signIn(recoveryCode)).toEqual(signedIn)
    expect(await signIn(recoveryCode)).toEqual(wrongCode)
    const [session, ...others] = await site.db.select().from(sessions)
    expect(others).toEqual([])
    const codes = await site.db.select().from(recoveryCodes)
    expect(codes.flatMap(({ usedBy }) => usedBy ?? [])).toEqual([session?.id])
  })

  test('a code is as good as before when nobody may use codes for now', async () => {
    const blocked = { key: 'proof/code/1', failures: 10, expiresAt: crowdedSite.now + SECOND }
    await site.db.insert(throttleCounters).values(blocked)
    for (const code of [crowdedSite.code(secret, 1), recoveryCode]) {
      expect(await signIn(code)).toMatchObject({ code: 429 })
    }
    expect(await site.db.select().from(sessions)).toEqual([])
    crowdedSite.now += SECOND
    expect(await signIn(recoveryCode)).toEqual(signedIn)
    expect(await signIn(crowdedSite.code(secret, 1))).toEqual(signedIn)
  })
})

describe('among the statements of others, in a session', () => {
  test('a wrong code is charged and uses nothing up; a right one clears the failures', async () => {
    crowdedSite.now += 30 * SECOND
    const token = await crowdedSite.token('alice', PASSWORD, crowdedSite.code(secret))
    for (const code of ['000000', 'AAAA-BBBB-CCCC-DDDD', crowdedSite.code(secret)]) {
      expect(
        await crowdedSite.post('/api/auth/2fa/disable', { otp_code: code }, { token }),
      ).toMatchObject({ code: expect.any(Number), data: null })
    }
    const ofSession = 'proof/code/1/'
    const failures = async () =>
      (await site.db.select().from(throttleCounters)).find((row) => row.key.startsWith(ofSession))
        ?.failures
    expect(await failures()).toBe(3)
    expect((await site.db.select().from(recoveryCodes)).length).toBe(10)
    const other = await crowdedSite.token('alice', PASSWORD, recoveryCode)
    // A sign-in clears its own failures, not those of a session.
    await crowdedSite.post('/api/auth/2fa/disable', { otp_code: '000000' }, { token })
    expect(await failures()).toBe(4)
    crowdedSite.now += 30 * SECOND
    const used = { otp_code: crowdedSite.code(secret) }
    const renewed = await crowdedSite.post('/api/auth/2fa/recovery_codes', used, { token })
    expect(renewed.data.recovery_codes.length).toBe(10)
    expect(await failures()).toBe(undefined)
    const { code } = await crowdedSite.post(
      '/api/auth/2fa/disable',
      { otp_code: renewed.data.recovery_codes[0] },
      { token },
    )
    expect(code).toBe(200)
    expect(await site.db.select().from(recoveryCodes)).toEqual([])
    expect((await site.db.select().from(sessions)).length).toBe(1)
    expect((await crowdedSite.get('/api/me', { token })).code).toBe(200)
    expect((await crowdedSite.get('/api/me', { token: other })).code).toBe(401)
    await crowdedSite.get('/api/auth/logout', { token })
    await crowdedSite.get('/api/auth/logout', { token })
    expect(await site.db.select().from(sessions)).toEqual([])
    const all = (await site.db.select().from(auditEvents)).map(({ kind }) => kind)
    const count = (kind: string) => all.filter((known) => known === kind).length
    expect([
      count('two_factor_off'),
      count('recovery_codes_made'),
      count('session_ended'),
      count('recovery_code_used'),
      count('proof_refused'),
    ]).toEqual([1, 2, 1, 2, 4])
  })
})
