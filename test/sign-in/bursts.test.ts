import { beforeEach, describe, expect, test, vi } from 'vitest'
import { sessions, throttleCounters } from '../../schema/tables.ts'
import { type Deps, wait } from '../../src/core/deps.ts'
import { addServiceToken } from '../../src/core/access/service-tokens.ts'
import { cheapHash } from '../support/cheap-hash.ts'
import { CheapSite } from '../support/cheap-site.ts'
import { MINUTE, SECOND } from '../support/site.ts'

const PASSWORD = 'alice-Passw0rd'
const HOME = '192.0.2.1'

let site: CheapSite
const hashes = vi.fn<Deps['hashPassword']>(cheapHash)
/** What attempts waited, in turn; the time is real. */
const waits = vi.fn<Deps['wait']>(wait)

beforeEach(async () => {
  hashes.mockReset().mockImplementation(cheapHash)
  waits.mockReset().mockImplementation(wait)
  site = new CheapSite({ hashPassword: hashes, wait: waits })
  await site.addUser('alice', { password: PASSWORD, permission: 0xf00 })
})

async function signIn(username: string, password: string, from = HOME, code?: string) {
  const headers = { 'CF-Connecting-IP': from }
  const body = { username, password, ...(code !== undefined && { otp_code: code }) }
  return (await site.post('/api/auth/login', body, { headers })).code
}

const atOnce = <Result>(count: number, send: (i: number) => Promise<Result>) =>
  Promise.all(Array.from({ length: count }, (_, i) => send(i)))

const count = (codes: number[], code: number) =>
  codes.filter((answered) => answered === code).length

/** The failures that are still counted, in rows and within them. */
async function failures(): Promise<number[]> {
  const rows = await site.db.select().from(throttleCounters)
  return rows.flatMap((row) => [
    row.failures,
    ...Object.values<number[]>(JSON.parse(row.parts)).map(([inPart = 0]) => inPart),
  ])
}

describe('right sign-ins at once', () => {
  test('ten of one user all get in, and leave no failure', async () => {
    expect(await atOnce(10, () => signIn('alice', PASSWORD))).toEqual(Array(10).fill(200))
    expect(await failures()).toEqual([0, 0])
    expect(await site.db.select().from(sessions)).toHaveLength(10)
  })

  test('forty users behind one address all get in', async () => {
    for (let i = 0; i < 40; i++) await site.addUser(`user ${i}`, { password: PASSWORD })
    const codes = await atOnce(40, (i) => signIn(`user ${i}`, PASSWORD))
    expect(codes).toEqual(Array(40).fill(200))
  })

  test('seventy users in the networks of one IPv6 /48 all get in', async () => {
    for (let i = 0; i < 70; i++) await site.addUser(`user ${i}`, { password: PASSWORD })
    const codes = await atOnce(70, (i) => signIn(`user ${i}`, PASSWORD, `2001:db8:1:${i}::1`))
    expect(codes).toEqual(Array(70).fill(200))
  })

  test('ten at a server of files all get in', async () => {
    const token = (await addServiceToken(site.deps, 'files', 'sftp')) ?? ''
    const body = { username: 'alice', password: PASSWORD, protocol: 'SSH', ip: HOME }
    const statuses = await atOnce(10, async () => {
      const answer = await site.fetch('POST', '/api/sftp/external_auth', { token, body })
      const { username } = await answer.json<{ username: string }>()
      return username
    })
    expect(statuses).toEqual(Array(10).fill('alice'))
  })

  test('get in among wrong ones, while there is room', async () => {
    const codes = await atOnce(8, (i) => signIn('alice', i < 4 ? 'wrong-Passw0rd' : PASSWORD))
    expect(codes).toEqual([401, 401, 401, 401, 200, 200, 200, 200])
  })

  test('take two round trips each that wait for nobody', async () => {
    expect(await atOnce(5, () => signIn('alice', PASSWORD))).toEqual(Array(5).fill(200))
    expect(waits).not.toHaveBeenCalled()
  })
})

describe('guesses at once', () => {
  test('at one account run five hashes, however they wait', async () => {
    const codes = await atOnce(40, () => signIn('alice', 'wrong-Passw0rd'))
    expect([count(codes, 401), count(codes, 429)]).toEqual([5, 35])
    expect(await signIn('alice', PASSWORD)).toBe(429)
    expect(hashes).toHaveBeenCalledTimes(5)
  })

  test('at many accounts run thirty', async () => {
    const codes = await atOnce(60, (i) => signIn(`nobody ${i}`, 'wrong-Passw0rd'))
    expect([count(codes, 401), count(codes, 429)]).toEqual([30, 30])
    expect(hashes).toHaveBeenCalledTimes(30)
  })

  test('from one IPv6 /48 run sixty', async () => {
    const codes = await atOnce(100, (i) =>
      signIn(`nobody ${i}`, 'wrong-Passw0rd', `2001:db8:1:${i % 50}::1`),
    )
    expect([count(codes, 401), count(codes, 429)]).toEqual([60, 40])
    expect(hashes).toHaveBeenCalledTimes(60)
  })

  test('with right sign-ins between them get no further', async () => {
    hashes.mockImplementation(async (digest, salt) => {
      await wait(20)
      return cheapHash(digest, salt)
    })
    const codes = await atOnce(30, (i) => signIn('alice', i % 3 ? 'wrong-Passw0rd' : PASSWORD))
    // Each sign-in forgives the failures before it, as in turn.
    const forgiven = count(codes, 200)
    expect(count(codes, 401)).toBeLessThanOrEqual(5 * (forgiven + 1))
    expect(count(codes, 200) + count(codes, 401) + count(codes, 429)).toBe(30)
  })

  test('are refused at once when nothing is in flight any more', async () => {
    for (let i = 0; i < 5; i++) expect(await signIn('alice', 'wrong-Passw0rd')).toBe(401)
    expect(await signIn('alice', PASSWORD)).toBe(429)
    for (let i = 5; i < 30; i++) expect(await signIn(`nobody ${i}`, PASSWORD)).toBe(401)
    expect(await signIn('nobody else', PASSWORD)).toBe(429)
    expect(waits).not.toHaveBeenCalled()
  })

  test('with wrong codes are known for failures as well', async () => {
    await site.enrol(await site.token('alice', PASSWORD))
    await site.db.delete(throttleCounters)
    for (let i = 0; i < 5; i++) expect(await signIn('alice', PASSWORD, HOME, '000000')).toBe(402)
    expect(await signIn('alice', PASSWORD, HOME, '000000')).toBe(429)
    expect(waits).not.toHaveBeenCalled()
  })
})

/** Five whose hash does not come back. */
async function hang(username = 'alice'): Promise<() => void> {
  const { promise: all, resolve: allAreThere } = Promise.withResolvers<void>()
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  hashes.mockImplementation(async (digest, salt) => {
    if (hashes.mock.calls.length === 5) allAreThere()
    await released
    return cheapHash(digest, salt)
  })
  site.deps.defer(atOnce(5, () => signIn(username, 'wrong-Passw0rd')))
  await all
  hashes.mockImplementation(cheapHash)
  return release
}

describe('attempts that never end', () => {
  beforeEach(() => {
    waits.mockImplementation(async (milliseconds) => void (site.now += milliseconds))
  })

  test.each(['alice', 'nobody'])('let others of %s wait two seconds, no longer', async (name) => {
    const release = await hang(name)
    const before = site.now
    expect(await signIn(name, PASSWORD)).toBe(429)
    expect(site.now - before).toBe(2 * SECOND)
    expect(site.meter.rowsWritten).toBe(0)
    release()
    await site.settle()
  })

  test('are failures after ten seconds, for which nobody waits', async () => {
    const release = await hang()
    site.now += 10 * SECOND
    waits.mockClear()
    expect(await signIn('alice', PASSWORD)).toBe(429)
    expect(waits).not.toHaveBeenCalled()
    site.now += 5 * MINUTE
    expect(await signIn('alice', PASSWORD)).toBe(200)
    release()
    await site.settle()
  })
})

/** So many failures from each of so many of its /64s. */
async function fail(networks: number, times: number): Promise<number[]> {
  const codes = []
  for (let i = 0; i < networks * times; i++) {
    codes.push(await signIn(`nobody ${i}`, PASSWORD, `2001:db8:1:${i % networks}::1`))
  }
  return codes
}

describe('an IPv6 /48', () => {
  test('has sixty failures, and then to wait for five minutes', async () => {
    expect(count(await fail(10, 6), 401)).toBe(60)
    expect(await signIn('alice', PASSWORD, '2001:db8:1:ffff::1')).toBe(429)
    expect(await signIn('alice', PASSWORD, '2001:db8:2:ffff::1')).toBe(200)
    site.now += 5 * MINUTE
    expect(await signIn('alice', PASSWORD, '2001:db8:1:ffff::1')).toBe(200)
  })

  test('keeps nobody out of where they have signed in before', async () => {
    expect(await signIn('alice', PASSWORD, '2001:db8:1:aaaa::1')).toBe(200)
    expect(count(await fail(10, 6), 401)).toBe(60)
    expect(await signIn('alice', PASSWORD, '2001:db8:1:aaaa::2')).toBe(200)
    expect(await signIn('alice', PASSWORD, '2001:db8:1:bbbb::1')).toBe(429)
  })

  test('has thirty failures in each /64', async () => {
    expect(await fail(1, 31)).toEqual([...Array<number>(30).fill(401), 429])
    expect(await signIn('alice', PASSWORD, '2001:db8:1:1::1')).toBe(200)
  })
})

describe('a network from which a user came to a server of files', () => {
  test.each(['SSH', 'DAV'])('is known, as after a sign-in here: %s', async (protocol) => {
    const token = (await addServiceToken(site.deps, 'files', 'sftp')) ?? ''
    const body = { username: 'alice', password: PASSWORD, protocol, ip: HOME }
    await site.fetch('POST', '/api/sftp/external_auth', { token, body })
    const guesses = await atOnce(50, (i) => signIn('alice', 'wrong-Passw0rd', `198.51.100.${i}`))
    expect(count(guesses, 401)).toBe(50)
    expect(await signIn('alice', PASSWORD, '203.0.113.7')).toBe(429)
    expect(await signIn('alice', PASSWORD)).toBe(200)
  })
})
