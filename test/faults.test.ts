import { env } from 'cloudflare:workers'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import {
  auditEvents,
  recoveryCodes,
  sessions,
  settings,
  sshKeys,
  throttleCounters,
  users,
} from '../schema/tables.ts'
import { createMeter } from '../src/core/database/database.ts'
import { openDatabase } from '../src/core/database/open-database.ts'
import { createDeps, type Deps } from '../src/core/deps.ts'
import { staticDigest } from '../src/core/passwords/passwords.ts'
import { runNightly } from '../src/app/nightly-run.ts'
import { ED1 } from './reference/keys.ts'
import { cheapHash } from './support/cheap-hash.ts'
import { CheapSite } from './support/cheap-site.ts'
import type { Envelope } from './support/envelope.ts'
import { loggedLines } from './support/log.ts'
import { HOUR, NOW, SECOND, Site } from './support/site.ts'
import { signInAlice } from './support/signed-in.ts'

const success = { code: 200, message: 'success', data: null }
const signedIn = { code: 200, message: 'success', data: { token: expect.any(String) } }
const wrongCode = { code: 402, message: 'Invalid 2FA code', data: null }
const unavailable = { code: 503, message: 'service unavailable, try again', data: null }
const internalError = { code: 500, message: 'internal error', data: null }

const PASSWORD = 'alice-Passw0rd'
const DEADLINE_MILLISECONDS = 5000

/**
 * What becomes of a round trip: it never gets there, it never comes back, or it is done and the
 * answer is lost.
 */
type Fault = 'fails' | 'hangs' | 'loses its answer'

/** A D1 in front of the real one, some of whose round trips go wrong. */
function faultyD1(faultOf: () => Fault | undefined): D1Database {
  async function trip<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
    const fault = faultOf()
    if (fault === 'hangs') return new Promise<never>(() => undefined)
    if (fault === 'fails') throw new Error('D1_ERROR: Network connection lost.')
    const answer = await ask()
    if (fault !== undefined) throw new Error('D1_ERROR: Network connection lost.')
    return answer
  }
  return new Proxy(env.DB, {
    get: (d1, name) =>
      name === 'withSession' ? () => faultySession(d1.withSession('first-primary')) : undefined,
  })
  function faultySession(session: D1DatabaseSession): D1DatabaseSession {
    return {
      prepare: (query) => session.prepare(query),
      batch: (statements) => trip(() => session.batch(statements)),
      getBookmark: () => session.getBookmark(),
    }
  }
}

/** A KV of which every call fails. */
const brokenKv = new Proxy(env.SETTINGS, {
  get: () => () => Promise.reject(new Error('KV is down')),
})

/** The round trip that goes wrong, counted from the last `breakTrip`; none for 0. */
let brokenTrip = 0
let fault: Fault = 'fails'
let trips = 0
/** Lines of the log that were there before the test. */
let linesBefore = 0
let site: CheapSite
let token: string
let secret: string
const hashes = vi.fn<Deps['hashPassword']>(cheapHash)

function faultyDb() {
  const d1 = faultyD1(() => {
    if (++trips !== brokenTrip) return undefined
    // Once the service has begun to wait, the time it waits is over.
    if (fault === 'hangs') queueMicrotask(() => vi.advanceTimersByTime(DEADLINE_MILLISECONDS))
    return fault
  })
  return openDatabase(d1, createMeter())
}

function breakTrip(number: number, how: Fault = 'fails'): void {
  trips = 0
  brokenTrip = number
  fault = how
}

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  linesBefore = loggedLines('').length
  breakTrip(0)
  site = new CheapSite({ db: faultyDb(), hashPassword: hashes })
  token = await signInAlice(site)
  hashes.mockClear()
})

/** Lines that quote a statement, or what it would have written. */
async function tellingLines(): Promise<string[]> {
  const digest = await staticDigest(PASSWORD)
  const sql = /\b((select|insert|update|delete)\s|(where|values|params|returning)\b)/i
  return loggedLines('')
    .slice(linesBefore)
    .filter((line) => sql.test(line) || /\$scrypt\$|totp_seed/.test(line) || line.includes(digest))
}

// In a hook, because it is about every test.
afterEach(async () => {
  vi.useRealTimers()
  // oxlint-disable-next-line vitest/no-standalone-expect
  expect(await tellingLines()).toEqual([])
})

/** Everything that is stored but counters and used time steps. */
async function stored() {
  const accounts = await site.db.select().from(users)
  return [
    accounts.map((account) => ({ ...account, totpStep: undefined })),
    await site.db.select().from(sessions),
    await site.db.select().from(recoveryCodes),
    await site.db.select().from(sshKeys),
    await site.db.select().from(settings),
    await site.db.select().from(auditEvents),
  ]
}

/** Makes a write fail within its transaction. */
function breakWrite(event: string): Promise<D1ExecResult> {
  return env.DB.exec(
    `create trigger broken ${event} begin select raise(abort, 'disk I/O error'); end`,
  )
}

const mendWrites = () => env.DB.exec('drop trigger broken')

const signIn = (code?: string) => site.login('alice', PASSWORD, code)

const post = (path: string, body?: unknown) => site.post(path, body, { token })

async function enrol(): Promise<void> {
  secret = await site.enrol(token)
}

async function generate(): Promise<void> {
  const { data } = await post('/api/auth/2fa/generate')
  secret = data.secret
}

/** Each code counts once, and one may be used up by a request that fails after it. */
const nextCode = () => {
  site.now += 30 * SECOND
  return site.code(secret)
}

async function idOfOther(): Promise<string> {
  const { data } = await site.get('/api/me/sessions', { token })
  return data.content.find((session: { current: boolean }) => !session.current).id
}

const nothing = async () => undefined
const signInAgain = async () => void (await signIn())
/** From then on they are in memory. */
const readSettings = async () => void (await site.get('/api/public/settings'))

/** Durable Objects that do whatever `hash` does. */
function hasherThat(hash: () => Promise<Uint8Array>): Partial<Env> {
  return {
    PASSWORD_HASHER: new Proxy(env.PASSWORD_HASHER, { get: () => () => ({ hash }) }),
  }
}

const brokenDb = () =>
  openDatabase(
    faultyD1(() => 'fails'),
    createMeter(),
  )
const answers = async (at: Site) => [
  await (await at.fetch('GET', '/ping')).text(),
  await at.get('/api/public/settings'),
]

describe('while D1 fails or hangs, nothing is done, and afterwards all is', () => {
  let id = ''

  const calls: [name: string, prepare: () => Promise<void>, send: () => Promise<Envelope>][] = [
    ['sign-in', nothing, () => signIn()],
    ['sign-in with a code', enrol, () => signIn(site.code(secret))],
    ['sign-in that lacks a code', enrol, () => signIn()],
    ['logout', nothing, () => site.get('/api/auth/logout', { token })],
    ['GET /api/me', nothing, () => site.get('/api/me', { token })],
    ['new name', nothing, () => post('/api/me/update', { username: 'alicia' })],
    [
      'new password',
      nothing,
      () =>
        post('/api/me/update', {
          username: 'alice',
          password: 'another-Passw0rd',
          old_password: PASSWORD,
        }),
    ],
    ['2fa/generate', readSettings, () => post('/api/auth/2fa/generate')],
    [
      '2fa/verify',
      generate,
      () => post('/api/auth/2fa/verify', { code: site.code(secret), secret }),
    ],
    [
      '2fa/recovery_codes',
      enrol,
      () => post('/api/auth/2fa/recovery_codes', { otp_code: nextCode() }),
    ],
    ['2fa/disable', enrol, () => post('/api/auth/2fa/disable', { otp_code: nextCode() })],
    ['sshkey/list', nothing, () => site.get('/api/me/sshkey/list', { token })],
    ['sshkey/add', nothing, () => post('/api/me/sshkey/add', { title: 'laptop', key: ED1 })],
    [
      'sshkey/delete',
      async () => void (await post('/api/me/sshkey/add', { title: 'laptop', key: ED1 })),
      () => post('/api/me/sshkey/delete?id=1'),
    ],
    ['sessions', nothing, () => site.get('/api/me/sessions', { token })],
    [
      'sessions/delete',
      async () => {
        await signIn()
        id = await idOfOther()
      },
      () => post(`/api/me/sessions/delete?id=${id}`),
    ],
    ['sessions/delete_others', signInAgain, () => post('/api/me/sessions/delete_others')],
    ['events', nothing, () => site.get('/api/me/events', { token })],
  ]

  test.each(calls)('%s', async (name, prepare, send) => {
    await prepare()
    const before = await stored()
    const expected = name === 'sign-in that lacks a code' ? 402 : 200
    breakTrip(1)
    let answer = await send()
    // One round trip after the other goes wrong, until there is none to go wrong.
    for (let number = 1; trips >= number; number++) {
      expect(answer, `round trip ${number} fails`).toEqual(unavailable)
      breakTrip(number, 'hangs')
      expect(await send(), `round trip ${number} hangs`).toEqual(unavailable)
      expect(await stored(), `round trip ${number}`).toEqual(before)
      breakTrip(number + 1)
      answer = await send()
    }
    expect(answer.code).toBe(expected)
    expect(trips).toBeGreaterThan(0)
  })

  test('GET /api/me of the guest', async () => {
    await site.db.update(users).set({ disabled: false })
    breakTrip(1)
    expect(await site.get('/api/me')).toEqual(unavailable)
    expect(await site.get('/api/me')).toMatchObject({ code: 200, data: { username: 'guest' } })
  })

  test('a wrong password is not told from a right one', async () => {
    breakTrip(2)
    expect(await site.login('alice', 'wrong-Passw0rd')).toEqual(unavailable)
    breakTrip(2)
    expect(await site.login('nobody', PASSWORD)).toEqual(unavailable)
    breakTrip(2)
    expect(await signIn()).toEqual(unavailable)
  })

  test('the nightly run', async () => {
    site.now = NOW + 1000 * HOUR
    const before = await stored()
    breakTrip(1)
    await expect(runNightly(site.deps)).rejects.toThrow('service unavailable, try again')
    expect(await stored()).toEqual(before)
    await runNightly(site.deps)
    expect(await site.db.select().from(sessions)).toEqual([])
  })
})

describe('a sign-in', () => {
  test('hashes nothing when its attempt can not be counted', async () => {
    for (const how of ['fails', 'hangs', 'loses its answer'] as const) {
      breakTrip(1, how)
      expect(await signIn()).toEqual(unavailable)
    }
    await breakWrite('before insert on throttle_counters')
    expect(await signIn()).toEqual(unavailable)
    expect(hashes).not.toHaveBeenCalled()
    expect(await site.db.select().from(sessions)).toHaveLength(1)
    await mendWrites()
    expect(await signIn()).toEqual(signedIn)
  })

  test.each(['fails', 'hangs'] as const)(
    'leaves its code good when the last round trip %s',
    async (how) => {
      secret = await site.enrol(token)
      const before = await site.db.select().from(users)
      breakTrip(2, how)
      expect(await signIn(site.code(secret))).toEqual(unavailable)
      expect(await site.db.select().from(users)).toEqual(before)
      expect(await site.db.select().from(sessions)).toHaveLength(1)
      expect(await signIn(site.code(secret))).toEqual(signedIn)
    },
  )

  test('gives no token when the answer to its last round trip is lost', async () => {
    secret = await site.enrol(token)
    breakTrip(2, 'loses its answer')
    expect(await signIn(site.code(secret))).toEqual(unavailable)
    expect(await signIn(site.code(secret)), 'the code has been used').toEqual(wrongCode)
    expect(await signIn(site.code(secret, 1))).toEqual(signedIn)
  })

  test.each([
    ['the session', 'before insert on sessions'],
    ['the event', "before insert on audit_events when new.kind = 'sign_in'"],
    ['the time step', 'before update of totp_step on users'],
    ['what is paid back', 'before update of failures on throttle_counters'],
    ['what is cleared', 'before delete on throttle_counters'],
    ['the end of the batch', 'after insert on audit_events'],
  ])('does nothing by halves when %s can not be written', async (_, event) => {
    secret = await site.enrol(token)
    await site.db.delete(throttleCounters)
    const ofCodes = { key: 'proof/code/3', failures: 7, expiresAt: site.now + HOUR }
    await site.db.insert(throttleCounters).values(ofCodes)
    const accounts = await site.db.select().from(users)
    const before = await stored()
    await breakWrite(event)
    expect(await signIn(site.code(secret))).toEqual(unavailable)
    expect(await stored()).toEqual(before)
    expect(await site.db.select().from(users)).toEqual(accounts)
    await Promise.all(site.deferred)
    const counters = await site.db.select().from(throttleCounters)
    const charged = event.includes('update of failures') ? 1 : 0
    expect(counters.map(({ failures }) => failures)).toEqual([charged, 7, charged])
    await mendWrites()
    expect(await signIn(site.code(secret))).toEqual(signedIn)
    const after = await site.db.select().from(throttleCounters)
    expect(after.map(({ failures }) => failures)).toEqual([charged, charged])
  })

  test('tells nobody whether a code is wrong that it can not count', async () => {
    secret = await site.enrol(token)
    await breakWrite("before insert on throttle_counters when new.key like 'proof/%'")
    expect(await signIn('000000')).toEqual(unavailable)
    await mendWrites()
    expect(await signIn(site.code(secret))).toEqual(signedIn)
  })

  test('leaves a recovery code good when the session can not be written', async () => {
    secret = await site.enrol(token)
    const body = { otp_code: site.code(secret) }
    const { data } = await site.post('/api/auth/2fa/recovery_codes', body, { token })
    const [code] = data.recovery_codes
    await breakWrite('before insert on sessions')
    expect(await signIn(code)).toEqual(unavailable)
    expect(await site.db.select().from(recoveryCodes)).toHaveLength(10)
    await mendWrites()
    expect(await signIn(code)).toEqual(signedIn)
  })

  test.each([undefined, 50])('waits for D1 as long as it is told: %s ms', async (deadline) => {
    const { promise: asked, resolve } = Promise.withResolvers<void>()
    const hanging = faultyD1(() => {
      resolve()
      return 'hangs'
    })
    const waiting = new CheapSite({ db: openDatabase(hanging, createMeter(), deadline) })
    const answered = vi.fn<(envelope: Envelope) => void>()
    const done = waiting.login('alice', PASSWORD).then(answered)
    await asked
    await vi.advanceTimersByTimeAsync((deadline ?? DEADLINE_MILLISECONDS) - 1)
    expect(answered).not.toHaveBeenCalled()
    await vi.advanceTimersByTimeAsync(1)
    await done
    expect(answered.mock.calls).toEqual([[unavailable]])
  })
})

describe('a write that fails half way', () => {
  test('changes no password and ends no session', async () => {
    const before = await stored()
    await breakWrite('before delete on sessions')
    const body = { username: 'alice', password: 'another-Passw0rd' }
    expect(await post('/api/me/update', body)).toEqual(unavailable)
    expect(await stored()).toEqual(before)
    await mendWrites()
    expect(await post('/api/me/update', body)).toEqual(success)
  })

  test('switches no two-step verification on', async () => {
    await signIn()
    const { data } = await post('/api/auth/2fa/generate')
    const before = await stored()
    await breakWrite('before delete on sessions')
    const body = { code: site.code(data.secret), secret: data.secret }
    expect(await post('/api/auth/2fa/verify', body)).toEqual(unavailable)
    expect(await stored()).toEqual(before)
    await mendWrites()
    expect(await post('/api/auth/2fa/verify', body)).toEqual(success)
  })

  test('takes no recovery code away and gives none', async () => {
    secret = await site.enrol(token)
    await post('/api/auth/2fa/recovery_codes', { otp_code: site.code(secret) })
    const before = await stored()
    await breakWrite('before insert on recovery_codes')
    site.now += 30 * SECOND
    const body = { otp_code: site.code(secret) }
    expect(await post('/api/auth/2fa/recovery_codes', body)).toEqual(unavailable)
    expect(await stored()).toEqual(before)
  })

  test('adds no key without its event', async () => {
    const before = await stored()
    await breakWrite('before insert on audit_events')
    const body = { title: 'laptop', key: ED1 }
    expect(await post('/api/me/sshkey/add', body)).toEqual(unavailable)
    expect(await stored()).toEqual(before)
    await mendWrites()
    expect(await post('/api/me/sshkey/add', body)).toEqual(success)
  })
})

describe('a session', () => {
  test('does its work also when its network can not be noted', async () => {
    breakTrip(2)
    const headers = { 'CF-Connecting-IP': '203.0.113.7' }
    expect(await site.get('/api/me', { token, headers })).toMatchObject({ code: 200 })
    await Promise.all(site.deferred)
    expect(trips).toBe(2)
    expect(await site.db.select().from(sessions)).toMatchObject([{ network: '192.0.2.1' }])
  })
})

describe('the hasher', () => {
  test('that is down is a service unavailable', async () => {
    const down = new Site(
      {},
      hasherThat(() => Promise.reject(new Error('Durable Object reset'))),
    )
    expect(await down.login('alice', PASSWORD)).toEqual(unavailable)
    expect(await down.login('nobody', PASSWORD)).toEqual(unavailable)
    const body = { username: 'alice', password: 'another-Passw0rd' }
    expect(await down.post('/api/me/update', body, { token })).toEqual(unavailable)
    expect(await site.db.select().from(sessions)).toHaveLength(1)
    expect(await signIn()).toEqual(signedIn)
  })

  test('that hangs is given five seconds', async () => {
    const { promise: asked, resolve } = Promise.withResolvers<void>()
    const hanging = new Site(
      {},
      hasherThat(() => {
        resolve()
        return new Promise<never>(() => undefined)
      }),
    )
    const answer = hanging.login('alice', PASSWORD)
    await asked
    await vi.advanceTimersByTimeAsync(DEADLINE_MILLISECONDS)
    expect(await answer).toEqual(unavailable)
    expect(await site.db.select().from(sessions)).toHaveLength(1)
  })

  test('that fails in a way nobody foresaw is an internal error', async () => {
    const odd = new CheapSite({ hashPassword: () => Promise.reject(new RangeError('odd')) })
    expect(await odd.login('alice', PASSWORD)).toEqual(internalError)
    expect(await site.db.select().from(sessions)).toHaveLength(1)
  })
})

describe('the limiter', () => {
  test('of the platform may throw', async () => {
    const limit = vi.fn<RateLimit['limit']>(() => Promise.reject(new Error('limiter is down')))
    const { limitSignIns } = createDeps({ ...env, SIGN_IN_LIMITER: { limit } }, () => undefined)
    const unlimited = new CheapSite({ limitSignIns })
    expect(await unlimited.login('alice', PASSWORD)).toEqual(signedIn)
    expect(limit.mock.calls).toEqual([[{ key: '192.0.2.1' }]])
  })
})

describe('with D1, KV or both down', () => {
  const served = { code: 200, message: 'success', data: { site_title: 'Files of Alice' } }

  beforeEach(async () => {
    await site.db.insert(settings).values({ key: 'site_title', value: 'Files of Alice' })
  })

  test('/ping and the settings answer without KV', async () => {
    const [pong, answer] = await answers(new CheapSite({ kv: brokenKv }))
    expect(pong).toBe('pong')
    expect(answer).toMatchObject(served)
  })

  test('/ping and the settings answer without D1', async () => {
    await site.get('/api/public/settings')
    await site.settle()
    const [pong, answer] = await answers(new CheapSite({ db: brokenDb() }))
    expect(pong).toBe('pong')
    expect(answer).toMatchObject(served)
  })

  test('two-step verification can be switched on without KV', async () => {
    const withoutKv = new CheapSite({ kv: brokenKv })
    const key = await withoutKv.enrol(token)
    expect(await withoutKv.login('alice', PASSWORD, withoutKv.code(key))).toEqual(signedIn)
  })

  test('without both /ping answers and the settings say so, until one is back', async () => {
    const isolate = new CheapSite({ db: brokenDb(), kv: brokenKv })
    expect(await answers(isolate)).toEqual(['pong', unavailable])
    isolate.deps.db = faultyDb()
    const [, answer] = await answers(isolate)
    expect(answer).toMatchObject(served)
  })

  test('without both the settings are those that were last read', async () => {
    const isolate = new CheapSite({ kv: brokenKv })
    await isolate.get('/api/public/settings')
    isolate.deps.db = brokenDb()
    isolate.now += HOUR
    const [, answer] = await answers(isolate)
    expect(answer).toMatchObject(served)
  })

  test('nobody is signed in without D1', async () => {
    const isolate = new CheapSite({ db: brokenDb() })
    expect(await isolate.login('alice', PASSWORD)).toEqual(unavailable)
    expect(await isolate.get('/api/me', { token })).toEqual(unavailable)
    expect(await isolate.get('/api/auth/logout', { token })).toEqual(unavailable)
  })
})
