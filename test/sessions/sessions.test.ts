import { env } from 'cloudflare:workers'
import { asc, eq } from 'drizzle-orm'
import { beforeEach, describe, expect, test } from 'vitest'
import { auditEvents, sessions, settings, throttleCounters, users } from '../../schema/tables.ts'
import { noteSessionUse } from '../../src/core/access/session-store.ts'
import { VERSION } from '../../src/capabilities/settings/defaults.ts'
import { runNightly } from '../../src/app/nightly-run.ts'
import { CheapSite } from '../support/cheap-site.ts'
import type { Envelope } from '../support/envelope.ts'
import { loggedLines } from '../support/log.ts'
import { signInAlice } from '../support/signed-in.ts'
import { HOUR, MINUTE, NOW, SECOND } from '../support/site.ts'

const success = { code: 200, message: 'success', data: null }
const signedIn = { code: 200, message: 'success', data: { token: expect.any(String) } }
const invalidated = { code: 401, message: 'token is invalidated', data: null }
const expired = { code: 401, message: 'token is expired', data: null }
const disabled = { code: 401, message: 'Current user is disabled, replace please', data: null }
const passwordChanged = {
  code: 401,
  message: 'Password has been changed, login please',
  data: null,
}
const guestRefused = { code: 403, message: 'Guest user has no sessions', data: null }
const notFound = { code: 404, message: 'no such session', data: null }
const internalError = { code: 500, message: 'internal error', data: null }

const PASSWORD = 'alice-Passw0rd'
const DAY = 24 * HOUR

let site: CheapSite
let token: string

beforeEach(async () => {
  site = new CheapSite()
  token = await signInAlice(site)
})

async function signIn(headers: Record<string, string> = {}): Promise<string> {
  const body = { username: 'alice', password: PASSWORD }
  const { data } = await site.post('/api/auth/login', body, { headers })
  return data.token
}

const list = (as = token) => site.get('/api/me/sessions', { token: as })
const end = (id: string, as = token) =>
  site.post(`/api/me/sessions/delete?id=${encodeURIComponent(id)}`, undefined, { token: as })
const endOthers = (as = token) =>
  site.post('/api/me/sessions/delete_others', undefined, { token: as })
const me = (as: string) => site.get('/api/me', { token: as })

async function idOf(as: string): Promise<string> {
  const { data } = await list(as)
  const own = data.content.find((session: { current: boolean }) => session.current)
  return own.id
}

async function isAlive(as: string): Promise<boolean> {
  return (await me(as)).code === 200
}

function siteWith(hours: unknown): CheapSite {
  const bindings: Partial<Env> = JSON.parse(JSON.stringify({ TOKEN_HOURS: hours ?? null }))
  return new CheapSite({}, bindings)
}

describe('GET /api/me/sessions', () => {
  test('tells of every session when, how long, from where and with what', async () => {
    site.now = NOW + HOUR
    await signIn({ 'User-Agent': 'Firefox/145.0', 'CF-Connecting-IP': '2001:db8:1:2::3' })
    expect(await list()).toEqual({
      code: 200,
      message: 'success',
      data: {
        content: [
          {
            id: expect.stringMatching(/^[\w-]{22}$/),
            created_time: '2026-11-21T10:15:06.000+00:00',
            expires_time: '2026-11-23T10:15:06.000+00:00',
            last_active_time: '2026-11-21T10:15:06.000+00:00',
            network: '2001:db8:1:2::/64',
            user_agent: 'Firefox/145.0',
            methods: ['pwd'],
            current: false,
          },
          {
            id: expect.stringMatching(/^[\w-]{22}$/),
            created_time: '2026-11-21T09:15:06.000+00:00',
            expires_time: '2026-11-23T09:15:06.000+00:00',
            last_active_time: '2026-11-21T09:15:06.000+00:00',
            network: '192.0.2.1',
            user_agent: '',
            methods: ['pwd'],
            current: true,
          },
        ],
        total: 2,
      },
    })
  })

  test('has the latest first, and says which one asks', async () => {
    const tokens = [token]
    for (let i = 0; i < 3; i++) {
      site.now += MINUTE
      tokens.unshift(await signIn())
    }
    for (const [index, as] of tokens.entries()) {
      const { data } = await list(as)
      expect(data.content.map((session: { current: boolean }) => session.current)).toEqual(
        tokens.map((_, other) => other === index),
      )
    }
  })

  test('says where a session was last used', async () => {
    const other = await signIn()
    const headers = { 'CF-Connecting-IP': '203.0.113.7', 'X-Forwarded-For': '198.51.100.1' }
    await site.get('/api/me', { token: other, headers })
    await Promise.all(site.deferred)
    const { data } = await list()
    const networks = data.content.map((session: { current: boolean; network: string }) => [
      session.current,
      session.network,
    ])
    expect(networks.toSorted()).toEqual([
      [false, '203.0.113.7'],
      [true, '192.0.2.1'],
    ])
  })

  test('writes nothing while a session stays where it is, for an hour', async () => {
    await list()
    await me(token)
    site.now += HOUR - SECOND
    await me(token)
    expect(site.deferred).toEqual([])
  })

  test('says to the hour when a session was last used', async () => {
    for (const [passed, noted] of [
      [HOUR, '2026-11-21T10:15:06.565+00:00'],
      [2 * HOUR - SECOND, '2026-11-21T10:15:06.565+00:00'],
      [2 * HOUR, '2026-11-21T11:15:06.565+00:00'],
    ] as const) {
      site.now = NOW + passed
      await me(token)
      await site.settle()
      expect((await list()).data.content[0].last_active_time).toBe(noted)
    }
  })

  test('writes one row for all uses at the same time', async () => {
    const [row] = await site.db.select().from(sessions)
    if (row === undefined) throw new Error('there is no session')
    const { id: sessionId, userId, network, userAgent } = row
    const actor = { sessionId, userId, issuedAtSeconds: 0, network, userAgent }
    const { db, meter } = site.deps
    const before = meter.rowsWritten
    await Promise.all([1, 2, 3, 4, 5].map(() => noteSessionUse(db, actor, NOW + HOUR)))
    expect(meter.rowsWritten - before).toBe(1)
  })

  test('waits for no write: an answer comes while the time is still to be written', async () => {
    site.now = NOW + HOUR
    const answer = await me(token)
    expect([answer.code, site.deferred.length]).toEqual([200, 1])
  })

  test('keeps 255 characters of a user agent', async () => {
    await signIn({ 'User-Agent': 'x'.repeat(5000) })
    const { data } = await list()
    const lengths = data.content.map((session: { user_agent: string }) => session.user_agent.length)
    expect(lengths.toSorted()).toEqual([0, 255])
  })

  test('shows nobody else, and nothing that has ended', async () => {
    await site.addUser('bob', { password: 'bob-Passw0rd' })
    const bob = await site.token('bob', 'bob-Passw0rd')
    site.now = NOW + 47 * HOUR
    const late = await signIn()
    expect((await list(late)).data.total).toBe(2)
    site.now = NOW + 48 * HOUR
    expect((await list(late)).data).toMatchObject({ total: 1, content: [{ current: true }] })
    expect(await list(token)).toEqual(expired)
    expect(await list(bob)).toEqual(expired)
  })

  test('is not for guests', async () => {
    await site.db.update(users).set({ disabled: false })
    expect(await list('')).toEqual(guestRefused)
    expect(await end('x', '')).toEqual(guestRefused)
    expect(await endOthers('')).toEqual(guestRefused)
  })
})

describe('POST /api/me/sessions/delete', () => {
  test('ends that session, and no other', async () => {
    const [second, third] = [await signIn(), await signIn()]
    expect(await end(await idOf(second))).toEqual(success)
    expect(await me(second)).toEqual(invalidated)
    expect(await isAlive(third)).toBe(true)
    expect((await list()).data.total).toBe(2)
  })

  test('ends the session that asks', async () => {
    expect(await end(await idOf(token))).toEqual(success)
    expect(await me(token)).toEqual(invalidated)
  })

  test('knows no session of another user, and leaves it alone', async () => {
    await site.addUser('bob', { password: 'bob-Passw0rd' })
    const bob = await site.token('bob', 'bob-Passw0rd')
    expect(await end(await idOf(bob))).toEqual(notFound)
    expect(await isAlive(bob)).toBe(true)
  })

  test('knows no session twice, nor one that never was', async () => {
    const id = await idOf(await signIn())
    expect(await end(id)).toEqual(success)
    for (const unknown of [id, 'x', `${id}'--`, '%', '_'.repeat(22)]) {
      expect(await end(unknown)).toEqual(notFound)
    }
    expect(await isAlive(token)).toBe(true)
  })

  test('asks for an id', async () => {
    for (const query of ['', '?', '?id=', '?ID=x']) {
      expect(await site.post(`/api/me/sessions/delete${query}`, undefined, { token })).toEqual({
        code: 400,
        message: 'id is required',
        data: null,
      })
    }
  })

  test('is not for a session that has ended itself', async () => {
    const other = await signIn()
    const id = await idOf(token)
    await end(await idOf(other))
    expect(await end(id, other)).toEqual(invalidated)
    expect(await isAlive(token)).toBe(true)
  })
})

describe('POST /api/me/sessions/delete_others', () => {
  test('ends every other session of the user, and nobody else', async () => {
    const [second, third] = [await signIn(), await signIn()]
    await site.addUser('bob', { password: 'bob-Passw0rd' })
    const bob = await site.token('bob', 'bob-Passw0rd')
    expect(await endOthers()).toEqual(success)
    expect(await me(second)).toEqual(invalidated)
    expect(await me(third)).toEqual(invalidated)
    expect(await isAlive(token)).toBe(true)
    expect(await isAlive(bob)).toBe(true)
  })

  test('does no harm when there is no other, or twice', async () => {
    expect(await endOthers()).toEqual(success)
    expect(await endOthers()).toEqual(success)
    expect(await isAlive(token)).toBe(true)
  })

  test('leaves one session when all ask for it at once', async () => {
    const tokens = [token, ...(await Promise.all([signIn(), signIn(), signIn()]))]
    const answers = await Promise.all(tokens.map((as) => endOthers(as)))
    expect(answers.filter((answer) => answer.code === 200)).toEqual([success])
    expect(answers.filter((answer) => answer.code === 401)).toEqual([
      invalidated,
      invalidated,
      invalidated,
    ])
    expect(await site.db.select().from(sessions)).toHaveLength(1)
  })
})

describe('the other sessions', () => {
  let other: string

  beforeEach(async () => {
    other = await signIn()
  })

  test('end when two-step verification is switched on', async () => {
    await site.enrol(token)
    expect(await me(other)).toEqual(invalidated)
    expect(await isAlive(token)).toBe(true)
  })

  test('stay while an enrolment is only begun or fails', async () => {
    const { data } = await site.post('/api/auth/2fa/generate', undefined, { token })
    const proof = { code: site.code(data.secret, 5), secret: data.secret }
    expect(await site.post('/api/auth/2fa/verify', proof, { token })).toMatchObject({ code: 400 })
    expect(await isAlive(other)).toBe(true)
  })

  test('end when two-step verification is switched off', async () => {
    const secret = await site.enrol(token)
    other = await site.token('alice', PASSWORD, site.code(secret))
    site.now += MINUTE
    const body = { otp_code: site.code(secret) }
    expect(await site.post('/api/auth/2fa/disable', body, { token })).toEqual(success)
    expect(await me(other)).toEqual(invalidated)
    expect(await isAlive(token)).toBe(true)
  })

  test('end with their own when the password changes', async () => {
    await site.addUser('bob', { password: 'bob-Passw0rd' })
    const bob = await site.token('bob', 'bob-Passw0rd')
    const body = { username: 'alice', password: 'another-Passw0rd' }
    expect(await site.post('/api/me/update', body, { token })).toEqual(success)
    for (const ended of [token, other]) {
      expect(await me(ended)).toEqual(passwordChanged)
      expect(await endOthers(ended)).toEqual(passwordChanged)
    }
    expect(await site.db.select().from(sessions)).toHaveLength(1)
    expect(await isAlive(bob)).toBe(true)
    expect(await isAlive(await site.token('alice', 'another-Passw0rd'))).toBe(true)
  })

  test('stay when the profile changes but for the password', async () => {
    const body = { username: 'alicia', sso_id: '', password: '' }
    expect(await site.post('/api/me/update', body, { token })).toEqual(success)
    expect(await isAlive(token)).toBe(true)
    expect(await isAlive(other)).toBe(true)
  })
})

describe('a disabled user', () => {
  test('can do nothing with a session', async () => {
    const other = await signIn()
    const id = await idOf(other)
    await site.db.update(users).set({ disabled: true }).where(eq(users.username, 'alice'))
    for (const answer of [await list(), await end(id), await endOthers(), await me(token)]) {
      expect(answer).toEqual(disabled)
    }
    expect(await site.db.select().from(sessions)).toHaveLength(2)
  })
})

describe('TOKEN_HOURS', () => {
  test.each([
    ['1', HOUR],
    ['0.5', HOUR / 2],
    ['8760', 365 * DAY],
    [undefined, 2 * DAY],
  ])('%s says how long a token lives', async (hours, lifetime) => {
    const brief = siteWith(hours)
    const briefToken = await brief.token('alice', PASSWORD)
    const { exp, iat } = JSON.parse(atob(briefToken.split('.')[1] ?? ''))
    expect((exp - iat) * SECOND).toBe(lifetime)
    brief.now = NOW + lifetime - SECOND
    expect(await brief.get('/api/me', { token: briefToken })).toMatchObject({ code: 200 })
    brief.now = NOW + lifetime
    expect(await brief.get('/api/me', { token: briefToken })).toEqual(expired)
  })

  test.each(['0', '-1', '', ' ', 'x', '48h', 'NaN', 'Infinity', '8761', '1e9', '0.0001', '1,5'])(
    'of "%s" gives no token, and the log names it',
    async (hours) => {
      const remedy = `TOKEN_HOURS must be 1 to 8760, not \\"${hours}\\"`
      const before = loggedLines(remedy).length
      const answer: Envelope = await siteWith(hours).login('alice', PASSWORD)
      expect(answer).toEqual(internalError)
      expect(loggedLines(remedy)).toHaveLength(before + 1)
      expect(await site.db.select().from(sessions)).toHaveLength(1)
    },
  )

  test('that is wrong leaves the tokens good that were given', async () => {
    expect(await siteWith('x').get('/api/me', { token })).toMatchObject({ code: 200 })
  })
})

describe('the nightly run', () => {
  test('forgets sessions that have ended, and those alone', async () => {
    site.now = NOW + HOUR
    const later = await signIn()
    site.now = Math.floor(NOW / SECOND) * SECOND + 48 * HOUR
    await runNightly(site.deps)
    expect(await site.db.select().from(sessions)).toHaveLength(1)
    expect(await isAlive(later)).toBe(true)
  })

  test('forgets events after 90 days', async () => {
    const ages = [0, 89 * DAY, 90 * DAY - 1, 90 * DAY, 91 * DAY]
    await site.db.delete(auditEvents)
    for (const age of ages) {
      const at = NOW - age
      const event = { at, kind: 'sign_in', userId: 3, network: '', userAgent: '' }
      await site.db.insert(auditEvents).values(event)
    }
    await runNightly(site.deps)
    const left = await site.db.select().from(auditEvents).orderBy(asc(auditEvents.id))
    expect(left.map((event) => NOW - event.at)).toEqual([0, 89 * DAY, 90 * DAY - 1])
  })

  test('keeps events for as many days as the operator has set', async () => {
    await site.db.delete(auditEvents)
    const ages = [0, 29 * DAY, 31 * DAY, 89 * DAY]
    for (const age of ages)
      await site.db
        .insert(auditEvents)
        .values({ at: NOW - age, kind: 'sign_in', userId: 3, network: '', userAgent: '' })
    await site.db.insert(settings).values({ key: 'event_retention_days', value: '30' })
    await runNightly(site.deps)
    const left = await site.db.select().from(auditEvents)
    expect(left.map((event) => NOW - event.at)).toEqual([0, 29 * DAY])
  })

  test('forgets counters that count no longer, and those alone', async () => {
    await site.db.delete(throttleCounters)
    await site.db.insert(throttleCounters).values([
      { key: 'site/over', failures: 60, expiresAt: NOW - 1 },
      { key: 'site/just over', failures: 60, expiresAt: NOW },
      { key: 'site/live', failures: 60, expiresAt: NOW + 1 },
      { key: 'proof/blocks', failures: 10, expiresAt: NOW - 1, chargedAt: NOW - 14 * MINUTE },
      { key: 'proof/blocked', failures: 10, expiresAt: NOW - 1, chargedAt: NOW - 15 * MINUTE },
      { key: 'account/live', failures: 1, expiresAt: NOW + HOUR },
    ])
    await runNightly(site.deps)
    const left = await site.db.select().from(throttleCounters)
    expect(left.map((counter) => counter.key).toSorted()).toEqual([
      'account/live',
      'proof/blocks',
      'site/live',
    ])
  })

  test('mends the copy of the settings', async () => {
    await site.get('/api/public/settings')
    await site.db.insert(settings).values({ key: 'site_title', value: 'Changed by hand' })
    await runNightly(site.deps)
    expect(await env.SETTINGS.get(`public-settings/${VERSION}`)).toContain('Changed by hand')
  })

  test('leaves everything else as it is, and may run twice', async () => {
    await signIn()
    const before = await site.db.select().from(sessions)
    const accounts = await site.db.select().from(users)
    await runNightly(site.deps)
    await runNightly(site.deps)
    expect(await site.db.select().from(sessions)).toEqual(before)
    expect(await site.db.select().from(users)).toEqual(accounts)
    expect(await site.login('alice', PASSWORD)).toEqual(signedIn)
  })
})
