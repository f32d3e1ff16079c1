import { beforeEach, describe, expect, test, vi } from 'vitest'
import { auditEvents, sessions, throttleCounters } from '../../schema/tables.ts'
import type { Deps } from '../../src/core/deps.ts'
import { staticDigest } from '../../src/core/passwords/passwords.ts'
import { Refusal } from '../../src/core/base/refusals.ts'
import { cheapHash } from '../support/cheap-hash.ts'
import { CheapSite } from '../support/cheap-site.ts'
import type { Envelope } from '../support/envelope.ts'
import { rememberSecret } from '../support/log.ts'
import { HOUR, MINUTE, NOW, SECOND } from '../support/site.ts'
import { Visitor } from '../support/visitor.ts'

const wrongCredentials = { code: 401, message: 'Invalid username or password', data: null }
const wrongCode = { code: 402, message: 'Invalid 2FA code', data: null }
const tooMany = {
  code: 429,
  message:
    'Too many unsuccessful sign-in attempts have been made using an incorrect username or password, Try again later.',
  data: null,
}
const signedIn = { code: 200, message: 'success', data: { token: expect.any(String) } }

const DAY = 24 * HOUR
const PASSWORD = 'alice-Passw0rd'
const HOME = '192.0.2.1'
const ELSEWHERE = '203.0.113.7'

interface Try {
  username?: string
  password?: string
  code?: string
  from?: string
  headers?: Record<string, string>
  route?: '/api/auth/login' | '/api/auth/login/hash'
}

let site: CheapSite
const hashes = vi.fn<Deps['hashPassword']>(cheapHash)

beforeEach(async () => {
  hashes.mockClear()
  site = new CheapSite({ hashPassword: hashes })
  await site.addUser('alice', { password: PASSWORD })
})

async function send({
  username = 'alice',
  password = PASSWORD,
  code,
  from = HOME,
  headers,
  route = '/api/auth/login',
}: Try): Promise<{ answer: Envelope; retryAfter: number }> {
  rememberSecret(password)
  const response = await site.fetch('POST', route, {
    body: { username, password, ...(code !== undefined && { otp_code: code }) },
    headers: { 'CF-Connecting-IP': from, ...headers },
  })
  const answer: Envelope = await response.json()
  return { answer, retryAfter: Number(response.headers.get('Retry-After')) }
}

const signIn = async (attempt: Try = {}) => (await send(attempt)).answer

/** So many wrong passwords in turn, none of which is throttled. */
async function guess(times: number, attempt: Try = {}): Promise<void> {
  for (let i = 0; i < times; i++) {
    const answer = await signIn({ password: 'wrong-guess', ...attempt })
    expect(answer, `guess ${i + 1}`).toEqual(wrongCredentials)
  }
}

/** So many wrong passwords at once, each from a network of its own. */
async function guessFromEverywhere(times: number, attempt: Try = {}): Promise<void> {
  const answers = await Promise.all(
    Array.from({ length: times }, (_, i) =>
      signIn({ password: 'wrong-guess', from: `198.51.100.${i}`, ...attempt }),
    ),
  )
  expect(answers).toEqual(answers.map(() => wrongCredentials))
}

/** The answers to seven wrong passwords, ten seconds apart. */
async function guessSlowly(attempt: Try) {
  const answers = []
  for (let i = 0; i < 7; i++) {
    site.now += 10 * SECOND
    answers.push(await send({ password: 'wrong-guess', ...attempt }))
  }
  return answers
}

const LIMITS = ['pair', 'network', 'account']

/** The failures counted so far, those of a network under its address. */
async function failures() {
  const rows = await site.db.select().from(throttleCounters)
  const counters = rows.flatMap(({ key, failures: count, parts }) => [
    [key, count] as const,
    ...Object.entries<number[]>(JSON.parse(parts)).map(
      ([name, [inPart]]) => [name, inPart] as const,
    ),
  ])
  return LIMITS.flatMap((limit) =>
    counters
      .filter(([key]) => key.startsWith(`${limit}/`))
      .map(([key, count]) => [limit === 'network' ? key : limit, count]),
  )
}

/** Switches two-step verification on, and forgets what that was charged. */
async function enrol(): Promise<string> {
  const secret = await site.enrol(await site.token('alice', PASSWORD))
  await site.db.delete(throttleCounters)
  return secret
}

/** Fifty wrong passwords at once. */
const fifty = (attempt: (i: number) => Try) =>
  Promise.all(
    Array.from({ length: 50 }, (_, i) => signIn({ password: 'wrong-guess', ...attempt(i) })),
  )

describe('an account and a network', () => {
  test('have five failures, and then to wait for five minutes', async () => {
    await guess(5)
    const { answer, retryAfter } = await send({})
    expect(answer).toEqual(tooMany)
    expect(retryAfter).toBe(300)
  })

  test('are told how long', async () => {
    await guess(5)
    site.now += 200 * SECOND - 1
    expect(await send({})).toEqual({ answer: tooMany, retryAfter: 101 })
    site.now += 1
    expect(await send({})).toEqual({ answer: tooMany, retryAfter: 100 })
  })

  test('wait no longer for having tried meanwhile', async () => {
    await guess(5)
    const before = await site.db.select().from(throttleCounters)
    for (const wait of [0, MINUTE, 5 * MINUTE - 1]) {
      site.now = NOW + wait
      for (let i = 0; i < 8; i++) expect(await signIn()).toEqual(tooMany)
    }
    expect(await site.db.select().from(throttleCounters)).toEqual(before)
    site.now = NOW + 5 * MINUTE
    expect(await signIn()).toEqual(signedIn)
  })

  test('wait from the fifth failure on', async () => {
    await guess(4)
    site.now = NOW + 4 * MINUTE
    await guess(1)
    site.now = NOW + 9 * MINUTE - 1
    expect(await signIn()).toEqual(tooMany)
    site.now = NOW + 9 * MINUTE
    expect(await signIn()).toEqual(signedIn)
  })

  test('begin anew after five minutes', async () => {
    await guess(4)
    site.now += 5 * MINUTE
    await guess(4)
    expect(await signIn()).toEqual(signedIn)
  })

  test('begin anew after a sign-in', async () => {
    for (let round = 0; round < 3; round++) {
      await guess(4)
      expect(await signIn()).toEqual(signedIn)
    }
  })

  test('are counted over both routes', async () => {
    const route = '/api/auth/login/hash'
    await guess(2)
    await guess(3, { route, password: await staticDigest('wrong-guess') })
    expect(await signIn()).toEqual(tooMany)
    expect(await signIn({ route, password: await staticDigest(PASSWORD) })).toEqual(tooMany)
  })

  test('leave the same account alone from another network', async () => {
    await guess(5)
    expect(await signIn({ from: ELSEWHERE })).toEqual(signedIn)
    expect(await signIn()).toEqual(tooMany)
  })

  test('leave another account alone from the same network', async () => {
    await site.addUser('bob', { password: 'bob-Passw0rd' })
    await guess(5)
    expect(await signIn({ username: 'bob', password: 'bob-Passw0rd' })).toEqual(signedIn)
    expect(await signIn()).toEqual(tooMany)
  })

  test('are throttled alike whether or not anybody has the name', async () => {
    const known = await guessSlowly({})
    expect(known.map(({ answer, retryAfter }) => [answer.code, retryAfter])).toEqual([
      ...Array.from({ length: 5 }, () => [401, 0]),
      [429, 290],
      [429, 280],
    ])
    expect(await guessSlowly({ username: 'nobody', from: ELSEWHERE })).toEqual(known)
  })

  test('are named by the edge alone', async () => {
    const headers = [
      'X-Forwarded-For',
      'X-Real-IP',
      'Forwarded',
      'True-Client-IP',
      'X-Client-IP',
      'CF-Connecting-IPv6',
      'CF-Pseudo-IPv4',
    ]
    const spoofed = (i: number) =>
      Object.fromEntries(headers.map((name) => [name, `198.51.100.${i}`]))
    for (let i = 0; i < 5; i++) await guess(1, { headers: spoofed(i) })
    expect(await signIn({ headers: spoofed(5) })).toEqual(tooMany)
    expect(await signIn({ from: ELSEWHERE, headers: { 'X-Forwarded-For': HOME } })).toEqual(
      signedIn,
    )
  })

  test('are one for all addresses of an IPv6 /64', async () => {
    const addresses = [
      '2001:db8:1:2::1',
      '2001:db8:1:2:ffff:ffff:ffff:ffff',
      '2001:0DB8:0001:0002::',
      '2001:db8:1:2:1::',
      '2001:db8:1:2:0:5efe:192.0.2.9',
    ]
    for (const from of addresses) await guess(1, { from })
    expect(await signIn({ from: '2001:db8:1:2::abcd' })).toEqual(tooMany)
    expect(await signIn({ from: '2001:db8:1:3::1' })).toEqual(signedIn)
  })

  test('are one for all whose address the edge does not tell', async () => {
    for (const from of ['', 'x', 'localhost', '-', '1']) await guess(1, { from })
    expect(await signIn({ from: '' })).toEqual(tooMany)
    expect(await signIn()).toEqual(signedIn)
  })

  test('pay nothing for a request that was no attempt', async () => {
    const bodies = ['', '{', {}, { username: 'alice' }, { username: '', password: 'wrong-guess' }]
    for (const body of [...bodies, ...bodies]) {
      expect(await site.post('/api/auth/login', body)).toMatchObject({ code: 400, data: null })
    }
    expect(await failures()).toEqual([])
    expect(hashes).not.toHaveBeenCalled()
    expect(await signIn()).toEqual(signedIn)
  })
})

describe('a network', () => {
  test('has thirty failures over all accounts, and then to wait for five minutes', async () => {
    await guess(3)
    for (let i = 0; i < 9; i++) await guess(3, { username: `nobody ${i}` })
    expect(await send({})).toEqual({ answer: tooMany, retryAfter: 300 })
    expect(await signIn({ username: 'somebody else' })).toEqual(tooMany)
    expect(await signIn({ from: ELSEWHERE })).toEqual(signedIn)
    site.now += 5 * MINUTE - 1
    expect(await signIn()).toEqual(tooMany)
    site.now += 1
    expect(await signIn()).toEqual(signedIn)
  })

  test('gets a sign-in back, and no failure with it', async () => {
    for (let i = 0; i < 29; i++) await guess(1, { username: `nobody ${i}` })
    for (let i = 0; i < 3; i++) expect(await signIn()).toEqual(signedIn)
    expect(await failures()).toContainEqual([`network/${HOME}`, 29])
    await guess(1)
    expect(await signIn()).toEqual(tooMany)
  })
})

describe('an account', () => {
  test('has fifty failures an hour from anywhere; then only known networks may try', async () => {
    expect(await signIn()).toEqual(signedIn)
    await guessFromEverywhere(50)
    expect(await send({ from: ELSEWHERE })).toEqual({ answer: tooMany, retryAfter: 3600 })
    expect(await signIn({ from: '198.51.100.3' })).toEqual(tooMany)
    expect(await signIn()).toEqual(signedIn)
  })

  test('is open to everybody again after the hour', async () => {
    await guessFromEverywhere(50)
    site.now += HOUR - 1
    expect(await signIn({ from: ELSEWHERE })).toEqual(tooMany)
    site.now += 1
    expect(await signIn({ from: ELSEWHERE })).toEqual(signedIn)
  })

  test('forgets its failures hour by hour', async () => {
    await guessFromEverywhere(49)
    site.now += HOUR
    await guessFromEverywhere(49)
    expect(await signIn({ from: ELSEWHERE })).toEqual(signedIn)
  })

  test('knows a network for thirty days', async () => {
    expect(await signIn({ from: HOME })).toEqual(signedIn)
    site.now += 1
    expect(await signIn({ from: ELSEWHERE })).toEqual(signedIn)
    site.now = NOW + 30 * DAY
    await guessFromEverywhere(50)
    expect(await signIn({ from: HOME })).toEqual(tooMany)
    expect(await signIn({ from: ELSEWHERE })).toEqual(signedIn)
  })

  test('knows no network after whose sign-in its user secured it, until the next one', async () => {
    await signIn({ from: HOME })
    site.now += MINUTE
    await signIn({ from: ELSEWHERE })
    const visitor = new Visitor(site)
    await visitor.signIn('alice', PASSWORD)
    await visitor.post('/account/security/check/done')
    await guessFromEverywhere(50)
    expect(await signIn({ from: ELSEWHERE })).toEqual(tooMany)
    expect(await signIn({ from: HOME })).toEqual(signedIn)
    site.now += HOUR
    expect(await signIn({ from: ELSEWHERE })).toEqual(signedIn)
    await guessFromEverywhere(50)
    expect(await signIn({ from: ELSEWHERE })).toEqual(signedIn)
  })

  test('knows no network by failures, nor by the sign-ins of others', async () => {
    await site.addUser('bob', { password: 'bob-Passw0rd' })
    await guess(1, { from: ELSEWHERE })
    expect(await signIn({ username: 'bob', password: 'bob-Passw0rd', from: ELSEWHERE })).toEqual(
      signedIn,
    )
    await guessFromEverywhere(49)
    expect(await signIn({ from: ELSEWHERE })).toEqual(tooMany)
    expect(await signIn({ username: 'bob', password: 'bob-Passw0rd', from: ELSEWHERE })).toEqual(
      signedIn,
    )
  })

  test('lets a known network guess no more than any other', async () => {
    expect(await signIn()).toEqual(signedIn)
    await guessFromEverywhere(50)
    await guess(5)
    expect(await signIn()).toEqual(tooMany)
  })

  test('that nobody has is throttled as well', async () => {
    await guessFromEverywhere(50, { username: 'nobody' })
    expect(await send({ username: 'nobody', from: ELSEWHERE })).toEqual({
      answer: tooMany,
      retryAfter: 3600,
    })
  })
})

describe('codes', () => {
  test('that are empty cost nothing', async () => {
    const secret = await enrol()
    for (const code of [undefined, '', ' ', '\t\n', '']) {
      expect(await signIn(code === undefined ? {} : { code })).toEqual(wrongCode)
    }
    expect(await failures()).toEqual([['account', 0]])
    expect(await signIn({ code: site.code(secret) })).toEqual(signedIn)
  })

  test('that are wrong count like wrong passwords', async () => {
    const secret = await enrol()
    for (let i = 0; i < 5; i++) expect(await signIn({ code: '000000' })).toEqual(wrongCode)
    expect(await signIn({ code: site.code(secret) })).toEqual(tooMany)
    expect(await signIn({ code: site.code(secret), from: ELSEWHERE })).toEqual(signedIn)
  })

  test('are ten wrong ones in fifteen minutes, wherever they come from', async () => {
    const secret = await enrol()
    for (let i = 0; i < 10; i++) {
      expect(await signIn({ code: '000000', from: `198.51.100.${i}` })).toEqual(wrongCode)
    }
    const began = await site.db.select().from(sessions)
    expect(await send({ code: site.code(secret), from: ELSEWHERE })).toEqual({
      answer: tooMany,
      retryAfter: 900,
    })
    site.now = NOW + 15 * MINUTE - 1
    expect(await signIn({ code: site.code(secret), from: ELSEWHERE })).toEqual(tooMany)
    expect(await site.db.select().from(sessions)).toEqual(began)
    site.now = NOW + 15 * MINUTE
    expect(await signIn({ code: site.code(secret), from: ELSEWHERE })).toEqual(signedIn)
  })

  test('begin anew after a right one', async () => {
    const secret = await enrol()
    for (let round = 0; round < 3; round++) {
      site.now += MINUTE
      for (let i = 0; i < 9; i++) {
        expect(await signIn({ code: '000000', from: `198.51.100.${i}` })).toEqual(wrongCode)
      }
      expect(await signIn({ code: site.code(secret) })).toEqual(signedIn)
    }
  })

  test('are not counted while the password is wrong', async () => {
    const secret = await enrol()
    for (let i = 0; i < 12; i++) {
      await guess(1, { code: '000000', from: `198.51.100.${i}` })
    }
    expect(await signIn({ code: site.code(secret) })).toEqual(signedIn)
  })

  test('are ten wrong ones also when twenty come at once', async () => {
    const secret = await enrol()
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) => signIn({ code: '000000', from: `198.51.100.${i}` })),
    )
    expect(answers.filter((answer) => answer.code === 402)).toHaveLength(10)
    expect(answers.filter((answer) => answer.code === 429)).toHaveLength(10)
    expect(await signIn({ code: site.code(secret) })).toEqual(tooMany)
  })
})

describe('fifty wrong passwords at once', () => {
  test('run five hashes when they come from one network', async () => {
    const answers = await fifty(() => ({}))
    expect(answers.filter((answer) => answer.code === 401)).toHaveLength(5)
    expect(answers.filter((answer) => answer.code === 429)).toHaveLength(45)
    expect(hashes).toHaveBeenCalledTimes(5)
    expect(await failures()).toEqual([
      ['pair', 5],
      [`network/${HOME}`, 5],
      ['account', 5],
    ])
    expect(await site.db.select().from(auditEvents)).toHaveLength(5)
  })

  test('are all counted when they come from fifty networks', async () => {
    const answers = await fifty((i) => ({ from: `198.51.100.${i}` }))
    expect(answers.filter((answer) => answer.code === 401)).toHaveLength(50)
    const counted = await failures()
    expect(counted.filter(([limit]) => limit === 'account')).toEqual([['account', 50]])
    expect(counted.filter(([, count]) => count === 1)).toHaveLength(100)
    expect(await signIn({ from: ELSEWHERE })).toEqual(tooMany)
  })

  test('run thirty hashes when they are for fifty accounts', async () => {
    const answers = await fifty((i) => ({ username: `nobody ${i}` }))
    expect(answers.filter((answer) => answer.code === 401)).toHaveLength(30)
    expect(answers.filter((answer) => answer.code === 429)).toHaveLength(20)
    expect(hashes).toHaveBeenCalledTimes(30)
  })
})

describe('the gate of the platform', () => {
  test('keeps a network out before anything is spent on it', async () => {
    site.deps.limitSignIns = async () => false
    hashes.mockClear()
    for (const route of ['/api/auth/login', '/api/auth/login/hash'] as const) {
      expect(await send({ route })).toEqual({ answer: tooMany, retryAfter: 60 })
    }
    expect(site.meter.roundTrips).toBe(0)
    expect(hashes).not.toHaveBeenCalled()
    expect(await failures()).toEqual([])
  })

  test('is asked about networks, not addresses', async () => {
    const gate = vi.fn<(network: string) => Promise<boolean>>().mockResolvedValue(true)
    site.deps.limitSignIns = gate
    await signIn({ from: '2001:db8:1:2::1', headers: { 'X-Forwarded-For': HOME } })
    await signIn({ from: ELSEWHERE })
    expect(gate.mock.calls).toEqual([['2001:db8:1:2::/64'], [ELSEWHERE]])
  })

  test('lets everybody pass when it fails, and the counters decide', async () => {
    site.deps.limitSignIns = () => Promise.reject(new Error('limiter is down'))
    expect(await signIn()).toEqual(signedIn)
    await guess(5)
    expect(await signIn()).toEqual(tooMany)
  })
})

describe('a block', () => {
  test('of wrong codes is not longer for who tries in it', async () => {
    const secret = await enrol()
    for (let i = 0; i < 10; i++) {
      expect(await signIn({ code: '000000', from: `198.51.100.${i}` })).toEqual(wrongCode)
    }
    site.now += 14 * MINUTE
    for (let i = 0; i < 5; i++) {
      const { answer, retryAfter } = await send({ code: site.code(secret), from: ELSEWHERE })
      expect([answer, retryAfter]).toEqual([tooMany, 60])
    }
    site.now += MINUTE
    expect(await signIn({ code: site.code(secret), from: ELSEWHERE })).toEqual(signedIn)
  })

  test('of the account is not what a known network is told of', async () => {
    expect(await signIn()).toEqual(signedIn)
    await guessFromEverywhere(50)
    await guess(5)
    expect(await send({})).toEqual({ answer: tooMany, retryAfter: 300 })
    site.now += 5 * MINUTE
    expect(await signIn()).toEqual(signedIn)
  })

  test('of the account is not longer because its user goes on signing in at home', async () => {
    expect(await signIn()).toEqual(signedIn)
    await guessFromEverywhere(50)
    site.now += 30 * MINUTE
    expect(await signIn()).toEqual(signedIn)
    expect(await signIn({ from: ELSEWHERE })).toEqual(tooMany)
    site.now += 30 * MINUTE
    expect(await signIn({ from: ELSEWHERE })).toEqual(signedIn)
  })
})

test('an outage of the hasher is nobody’s failure', async () => {
  hashes.mockRejectedValue(new Refusal('unavailable', { detail: 'hasher is down' }))
  for (let i = 0; i < 6; i++) {
    expect(await signIn()).toMatchObject({ code: 503 })
    await Promise.all(site.deferred)
  }
  hashes.mockImplementation(cheapHash)
  expect(await signIn()).toEqual(signedIn)
})

test('a thief who guesses at old passwords does not use up the owner’s codes', async () => {
  const secret = await enrol()
  const token = await site.token('alice', PASSWORD, site.code(secret))
  const change = { username: 'alice', password: 'new-Passw0rd-9', old_password: 'wrong-guess' }
  for (let i = 0; i < 10; i++) {
    expect(await site.post('/api/me/update', change, { token })).toMatchObject({ code: 403 })
  }
  expect(await site.post('/api/me/update', change, { token })).toMatchObject({ code: 429 })
  expect(await signIn({ code: site.code(secret, 1) })).toEqual(signedIn)
})
