import { beforeEach, describe, expect, test, vi } from 'vitest'
import { sessions, throttleCounters } from '../../schema/tables.ts'
import type { Deps } from '../../src/core/deps.ts'
import { sha256Hex } from '../../src/core/base/encoding.ts'
import { DEFAULT_COST, staticDigest } from '../../src/core/passwords/passwords.ts'
import { cheapHash, cheapPasswordHash } from '../support/cheap-hash.ts'
import { CheapSite } from '../support/cheap-site.ts'
import { rememberSecret } from '../support/log.ts'

const ROUTES = ['/api/auth/login', '/api/auth/login/hash'] as const
const RIGHT = 'right-Passw0rd'
const WRONG = 'wrong-Passw0rd'

/** What one try costs and tells. */
interface Outcome {
  status: number
  headers: [string, string][]
  body: string
  hashes: unknown[]
  roundTrips: number
  failures: number[]
}

const hashes = vi.fn<Deps['hashPassword']>(cheapHash)
let site: CheapSite
let secretOfTwoFactor: string

beforeEach(async () => {
  site = new CheapSite({ hashPassword: hashes })
  await site.addFirstUsers({ guestDisabled: false })
  await site.addUser('two-factor', { password: RIGHT })
  secretOfTwoFactor = await site.enrol(await site.token('two-factor', RIGHT))
  await site.db.delete(sessions)
})

async function attempt(
  route: (typeof ROUTES)[number],
  username: string,
  password: string,
  code?: string,
): Promise<Outcome> {
  rememberSecret(password)
  await site.db.delete(throttleCounters)
  hashes.mockClear()
  const response = await site.fetch('POST', route, {
    body: {
      username,
      password: route === '/api/auth/login' ? password : await staticDigest(password),
      ...(code !== undefined && { otp_code: code }),
    },
  })
  const counters = await site.db.select().from(throttleCounters)
  return {
    status: response.status,
    headers: Array.from(response.headers).filter(([name]) => name !== 'x-request-id'),
    body: await response.text(),
    hashes: hashes.mock.calls.map(([, , cost]) => cost),
    roundTrips: site.meter.roundTrips,
    failures: counters.map((counter) => counter.failures),
  }
}

/** Accounts that do not let in, by what is the matter with them; each with its best proof. */
async function addHopeless(): Promise<Record<string, [username: string, password: string]>> {
  await site.addUser('wrong', { password: RIGHT })
  await site.addUser('disabled', { password: RIGHT, disabled: true })
  await site.addUser('no password')
  await site.addUser('enabled guest', { password: RIGHT, role: 1 })
  const scrypt = await cheapPasswordHash(RIGHT)
  const odd: Record<string, string> = {
    argon: '$argon2id$v=19$m=19456,t=2,p=1$c2FsdHNhbHQ$aGFzaA',
    bcrypt: '$2b$12$abcdefghijklmnopqrstuuJ9bPv8rC1k4Q0eY5mZx3wT7dS6fG2hi',
    blank: ' ',
    cut: scrypt.slice(0, -1),
    costly: scrypt.replace('ln=14', 'ln=15'),
    foreign: `$openlist$salt$${await sha256Hex(`${await staticDigest(RIGHT)}-salt`)}x`,
    imported: `$openlist$salt$${await sha256Hex(`${await staticDigest('other')}-salt`)}`,
  }
  for (const [username, passwordHash] of Object.entries(odd)) {
    await site.addUser(username, { passwordHash })
  }
  return {
    unknown: ['nobody', RIGHT],
    'in another case': ['Admin', RIGHT],
    wrong: ['wrong', WRONG],
    disabled: ['disabled', RIGHT],
    'disabled and wrong': ['disabled', WRONG],
    guest: ['guest', 'guest'],
    'guest with a password': ['enabled guest', RIGHT],
    'no password': ['no password', RIGHT],
    imported: ['imported', RIGHT],
    ...Object.fromEntries(
      ['argon', 'bcrypt', 'blank', 'cut', 'costly', 'foreign'].map((name) => [name, [name, RIGHT]]),
    ),
  }
}

describe.each(ROUTES)('POST %s', (route) => {
  test('answers whoever may not get in with the same bytes, at the same price', async () => {
    const expected = {
      status: 200,
      headers: expect.arrayContaining([
        ['cache-control', 'no-store'],
        ['content-type', 'application/json'],
      ]),
      body: '{"code":401,"message":"Invalid username or password","data":null}',
      hashes: [DEFAULT_COST],
      roundTrips: 2,
      failures: [1, 1],
    }
    const hopeless = await addHopeless()
    const reference = await attempt(route, 'admin', WRONG)
    expect(reference).toEqual(expected)
    for (const [name, [username, password]] of Object.entries(hopeless)) {
      expect(await attempt(route, username, password), name).toEqual(reference)
      expect(await attempt(route, username, password, '123456'), `${name}, code`).toEqual(reference)
    }
    const code = site.code(secretOfTwoFactor)
    expect(await attempt(route, 'two-factor', WRONG), 'no code').toEqual(reference)
    expect(await attempt(route, 'two-factor', WRONG, code), 'right code').toEqual(reference)
    expect(await attempt(route, 'nobody', WRONG, code), 'a code of another').toEqual(reference)
    expect(await site.db.select().from(sessions)).toEqual([])
  })

  test('does not use up the code that came with a wrong password', async () => {
    const code = site.code(secretOfTwoFactor)
    await attempt(route, 'two-factor', WRONG, code)
    expect(JSON.parse((await attempt(route, 'two-factor', RIGHT, code)).body)).toEqual({
      code: 200,
      message: 'success',
      data: { token: expect.any(String) },
    })
  })

  test('takes a sign-in two round trips and one hash, with a code or without', async () => {
    await site.addUser('right', { password: RIGHT })
    const price = { hashes: [DEFAULT_COST], roundTrips: 2 }
    expect(await attempt(route, 'right', RIGHT)).toMatchObject(price)
    expect(await attempt(route, 'two-factor', RIGHT, site.code(secretOfTwoFactor))).toMatchObject(
      price,
    )
    expect(await attempt(route, 'two-factor', RIGHT)).toMatchObject(price)
  })
})
