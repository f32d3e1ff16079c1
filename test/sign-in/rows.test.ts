import { beforeEach, describe, expect, test } from 'vitest'
import { throttleCounters } from '../../schema/tables.ts'
import { addServiceToken } from '../../src/core/access/service-tokens.ts'
import { CheapSite } from '../support/cheap-site.ts'
import { HOUR, MINUTE, SECOND } from '../support/site.ts'

const PASSWORD = 'alice-Passw0rd'
const MOST_REFUSED = 4
/**
 * For the failure that stops a user, once in a block: operators find the user by a row and an
 * index.
 */
const MOST_REFUSED_AND_NOTED = 6
/** For who knows the password; the counter of codes is one row more. */
const MOST_WITH_WRONG_CODE = 5
const MOST_ACCEPTED = 10
/**
 * The use of the code is an event of its own, of a rare kind, which has a row in an index too; and
 * a wrong one before it is forgotten.
 */
const MOST_WITH_RECOVERY_CODE = 13
/** What D1 writes for nothing in a day. */
const FREE_ROWS_A_DAY = 100_000
const ROUNDS_A_DAY = (24 * HOUR) / (5 * MINUTE)

const FAMILIES = [
  ['IPv4', '192.0.2.1'],
  ['IPv6', '2001:db8:1:2::1'],
] as const

let site: CheapSite

beforeEach(async () => {
  site = new CheapSite()
  await site.addUser('alice', { password: PASSWORD })
  await site.addUser('off', { password: PASSWORD, disabled: true })
})

/** One sign-in: its answer, and the rows that it wrote, indexes included. */
async function signIn(username: string, password: string, from: string, code?: string) {
  const { code: answer } = await site.post(
    '/api/auth/login',
    { username, password, ...(code !== undefined && { otp_code: code }) },
    { headers: { 'CF-Connecting-IP': from } },
  )
  return { answer, rows: site.meter.rowsWritten }
}

/** The most that any of some sign-ins wrote, all of which were answered alike. */
async function most(answer: number, tries: (() => ReturnType<typeof signIn>)[]): Promise<number> {
  const rows = []
  for (const attempt of tries) {
    const outcome = await attempt()
    expect(outcome.answer).toBe(answer)
    rows.push(outcome.rows)
  }
  return Math.max(...rows)
}

const times = <Result>(count: number, make: (i: number) => Result) =>
  Array.from({ length: count }, (_, i) => make(i))

describe.each(FAMILIES)('over %s a refused sign-in', (_, from) => {
  test.each(['alice', 'off', 'nobody'])('of %s writes four rows at most', async (name) => {
    const guess = () => signIn(name, 'wrong-Passw0rd', from)
    const guesses = times(4, () => guess)
    expect(await most(401, guesses)).toBeLessThanOrEqual(MOST_REFUSED)
    expect(await most(401, [guess]), 'the last').toBeLessThanOrEqual(MOST_REFUSED_AND_NOTED)
    expect(await most(429, [guess, guess]), 'while blocked').toBe(0)
    site.now += 6 * MINUTE
    expect(await most(401, guesses), 'again').toBeLessThanOrEqual(MOST_REFUSED)
    expect(await most(401, [guess]), 'the last').toBeLessThanOrEqual(MOST_REFUSED_AND_NOTED)
  })

  test('of a name that is made up writes four at most, up to the limit', async () => {
    const guesses = times(31, (i) => () => signIn(`nobody ${i}`, PASSWORD, from))
    const last = guesses.splice(30)
    expect(await most(401, guesses)).toBeLessThanOrEqual(MOST_REFUSED)
    expect(await most(429, last), 'while blocked').toBe(0)
  })

  test('that lacks its code writes four at most', async () => {
    await site.enrol(await site.token('alice', PASSWORD))
    expect(await most(402, [() => signIn('alice', PASSWORD, from)])).toBeLessThanOrEqual(
      MOST_REFUSED,
    )
  })
})

describe.each(FAMILIES)('over %s an accepted sign-in', (_, from) => {
  test('writes ten rows at most, after failures too', async () => {
    const right = () => signIn('alice', PASSWORD, from)
    expect(await most(200, [right, right])).toBeLessThanOrEqual(MOST_ACCEPTED)
    await signIn('alice', 'wrong-Passw0rd', from)
    expect(await most(200, [right])).toBeLessThanOrEqual(MOST_ACCEPTED)
  })

  test('with a code writes ten at most, with a recovery code three more', async () => {
    const token = await site.token('alice', PASSWORD)
    const secret = await site.enrol(token)
    const { data } = await site.post(
      '/api/auth/2fa/recovery_codes',
      { otp_code: site.code(secret) },
      { token },
    )
    await site.db.delete(throttleCounters)
    const withCode = () => {
      site.now += 30 * SECOND
      return signIn('alice', PASSWORD, from, site.code(secret))
    }
    expect(await most(200, [withCode, withCode])).toBeLessThanOrEqual(MOST_ACCEPTED)
    const withRecoveryCode = () => signIn('alice', PASSWORD, from, data.recovery_codes.pop())
    const wrong = () => signIn('alice', PASSWORD, from, '000000')
    expect(await most(402, [wrong])).toBeLessThanOrEqual(MOST_WITH_WRONG_CODE)
    expect(await most(200, [withCode]), 'after a wrong one').toBeLessThanOrEqual(MOST_ACCEPTED)
    await wrong()
    expect(await most(200, [withRecoveryCode])).toBeLessThanOrEqual(MOST_WITH_RECOVERY_CODE)
  })

  test('of SFTPGo writes ten at most', async () => {
    await site.addUser('files', { password: PASSWORD, permission: 0xc00 })
    const token = await addServiceToken(site.deps, 'files', 'sftp')
    const body = { username: 'files', password: PASSWORD, protocol: 'SSH', ip: from }
    const answer = await site.fetch('POST', '/api/sftp/external_auth', { token: token ?? '', body })
    expect(answer.status).toBe(200)
    expect(site.meter.rowsWritten).toBeLessThanOrEqual(MOST_ACCEPTED)
  })
})

/** The rows written until that place is blocked, in the second round: the first has rows to make. */
async function rowsOfRound(addresses: string[]): Promise<number> {
  let rows = 0
  for (let round = 0; round < 2; round++) {
    rows = 0
    site.now += 5 * MINUTE
    for (const [j, from] of addresses.entries()) {
      for (let i = 0; i < 31; i++) {
        const refused = await signIn(`nobody ${round} ${j} ${i}`, PASSWORD, from)
        expect([401, 429]).toContain(refused.answer)
        rows += refused.rows
      }
    }
  }
  return rows
}

describe('who guesses for a day at names that nobody has', () => {
  test('from one address leaves most of what is free a day', async () => {
    expect((await rowsOfRound(['192.0.2.1'])) * ROUNDS_A_DAY).toBeLessThan(FREE_ROWS_A_DAY / 3)
  })

  test('from all networks of one IPv6 /48 can’t use it up', async () => {
    const addresses = times(5, (i) => `2001:db8:1:${i}::1`)
    expect((await rowsOfRound(addresses)) * ROUNDS_A_DAY).toBeLessThan(FREE_ROWS_A_DAY)
  })
})
