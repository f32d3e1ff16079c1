import { asc, eq, isNull } from 'drizzle-orm'
import { beforeEach, describe, expect, test } from 'vitest'
import { auditEvents, recoveryCodes, sessions, users } from '../../schema/tables.ts'
import { CheapSite } from '../support/cheap-site.ts'
import { prepared } from '../support/prepared.ts'
import type { Envelope } from '../support/envelope.ts'
import { MINUTE, NOW, SECOND } from '../support/site.ts'

const success = { code: 200, message: 'success', data: null }
const signedIn = { code: 200, message: 'success', data: { token: expect.any(String) } }
const tenCodes = {
  code: 200,
  message: 'success',
  data: { recovery_codes: Array.from({ length: 10 }, () => expect.any(String)) },
}
const wrongCode = { code: 400, message: 'Invalid 2FA code', data: null }
const wrongCodeAtSignIn = { code: 402, message: 'Invalid 2FA code', data: null }
const notOn = { code: 400, message: '2FA is not enabled', data: null }
const invalidated = { code: 401, message: 'token is invalidated', data: null }
const guestRefused = { code: 403, message: 'Guest user can not generate 2FA code', data: null }
const tooMany = {
  code: 429,
  message:
    'Too many unsuccessful sign-in attempts have been made using an incorrect username or password, Try again later.',
  data: null,
}

const PASSWORD = 'alice-Passw0rd'
const RECOVERY_CODES = '/api/auth/2fa/recovery_codes'
const DISABLE = '/api/auth/2fa/disable'
const WRONG = '000000'
const HALF_MINUTE = 30 * SECOND

let site: CheapSite
let token: string
let secret: string

const enrolAlice = prepared(async (arranged) => {
  const ofAlice = await arranged.addSignedInUser()
  return { token: ofAlice, secret: await arranged.enrol(ofAlice) }
})

beforeEach(async () => {
  site = new CheapSite()
  const enrolled = await enrolAlice(site)
  token = enrolled.token
  secret = enrolled.secret
})

const prove = (path: string, code: string, as = token) =>
  site.post(path, { otp_code: code }, { token: as })

const signIn = (code?: string, from = '192.0.2.1') =>
  site.post(
    '/api/auth/login',
    { username: 'alice', password: PASSWORD, ...(code !== undefined && { otp_code: code }) },
    { headers: { 'CF-Connecting-IP': from } },
  )

/** Ten fresh codes; takes half a minute, because each code of the authenticator counts once. */
async function makeCodes(): Promise<[string, string, string, ...string[]]> {
  const { data } = await prove(RECOVERY_CODES, site.code(secret))
  site.now += HALF_MINUTE
  return data.recovery_codes
}

async function rowOfAlice() {
  const [row] = await site.db.select().from(users).where(eq(users.username, 'alice'))
  return row
}

/** So many wrong codes, none of which is throttled. */
async function waste(times: number, send: (i: number) => Promise<Envelope>): Promise<void> {
  for (let i = 0; i < times; i++) {
    const { message } = await send(i)
    expect(message).toBe('Invalid 2FA code')
  }
}

describe('POST /api/auth/2fa/recovery_codes', () => {
  test('gives ten codes of eighty bits in four groups', async () => {
    const answer = await prove(RECOVERY_CODES, site.code(secret))
    expect(answer).toEqual(tenCodes)
    const codes: string[] = answer.data.recovery_codes
    expect(new Set(codes).size).toBe(10)
    for (const code of codes) expect(code).toMatch(/^[A-Z2-7]{4}(-[A-Z2-7]{4}){3}$/)
  })

  test('stores hashes alone', async () => {
    const codes = await makeCodes()
    const rows = await site.db.select().from(recoveryCodes)
    expect(rows).toEqual(
      Array.from({ length: 10 }, () => ({
        userId: 3,
        codeHash: expect.stringMatching(/^[0-9a-f]{64}$/),
        usedBy: null,
      })),
    )
    expect(new Set(rows.map((row) => row.codeHash)).size).toBe(10)
    const stored = JSON.stringify([
      rows,
      await site.db.select().from(users),
      await site.db.select().from(auditEvents),
    ]).toUpperCase()
    for (const code of codes) {
      expect(stored).not.toContain(code)
      expect(stored).not.toContain(code.replaceAll('-', ''))
    }
  })

  test('ends the codes given before', async () => {
    const [old] = await makeCodes()
    const [fresh] = await makeCodes()
    expect(await site.db.select().from(recoveryCodes)).toHaveLength(10)
    expect(await signIn(old)).toEqual(wrongCodeAtSignIn)
    expect(await signIn(fresh)).toEqual(signedIn)
  })

  test('leaves the codes of everybody else alone', async () => {
    const [code] = await makeCodes()
    await site.addUser('bob', { password: 'bob-Passw0rd' })
    const bob = await site.token('bob', 'bob-Passw0rd')
    const secretOfBob = await site.enrol(bob)
    expect(await prove(RECOVERY_CODES, site.code(secretOfBob), bob)).toEqual(tenCodes)
    expect(await site.db.select().from(recoveryCodes)).toHaveLength(20)
    expect(await site.login('bob', 'bob-Passw0rd', code)).toEqual(wrongCodeAtSignIn)
    expect(await signIn(code)).toEqual(signedIn)
  })

  test('is refused while two-step verification is off', async () => {
    await site.addUser('bob', { password: 'bob-Passw0rd' })
    const bob = await site.token('bob', 'bob-Passw0rd')
    expect(await prove(RECOVERY_CODES, '123456', bob)).toEqual(notOn)
    const { data } = await site.post('/api/auth/2fa/generate', undefined, { token: bob })
    expect(await prove(RECOVERY_CODES, site.code(data.secret), bob)).toEqual(notOn)
    expect(await site.db.select().from(recoveryCodes)).toEqual([])
  })

  test('takes a recovery code as well, once', async () => {
    const [code] = await makeCodes()
    expect(await prove(RECOVERY_CODES, code)).toEqual(tenCodes)
    expect(await prove(RECOVERY_CODES, code)).toEqual(wrongCode)
  })

  test('refuses a wrong code, and leaves the recovery codes in force', async () => {
    const [code] = await makeCodes()
    expect(await prove(RECOVERY_CODES, WRONG)).toEqual(wrongCode)
    expect(await signIn(code)).toEqual(signedIn)
  })

  test('refuses a code that has been used, here or at a sign-in', async () => {
    const code = site.code(secret)
    expect(await prove(RECOVERY_CODES, code)).toEqual(tenCodes)
    expect(await prove(RECOVERY_CODES, code)).toEqual(wrongCode)
    expect(await prove(DISABLE, code)).toEqual(wrongCode)
    expect(await signIn(code)).toEqual(wrongCodeAtSignIn)
    site.now += HALF_MINUTE
    expect(await signIn(site.code(secret))).toEqual(signedIn)
    expect(await prove(RECOVERY_CODES, site.code(secret))).toEqual(wrongCode)
  })

  test('gives one set of codes for twenty uses of one code at once', async () => {
    const code = site.code(secret)
    const answers = await Promise.all(Array.from({ length: 20 }, () => prove(RECOVERY_CODES, code)))
    expect(answers.filter((answer) => answer.code === 200)).toEqual([tenCodes])
    expect(await site.db.select().from(recoveryCodes)).toHaveLength(10)
  })

  test('asks for a code, and for somebody', async () => {
    expect(await site.post(RECOVERY_CODES, {}, { token })).toEqual({
      code: 400,
      message: 'otp_code is required',
      data: null,
    })
    expect(await prove(RECOVERY_CODES, site.code(secret), 'dead')).toEqual(invalidated)
    await site.db.update(users).set({ disabled: false }).where(eq(users.username, 'guest'))
    expect(await prove(RECOVERY_CODES, site.code(secret), '')).toEqual(guestRefused)
    expect(await prove(DISABLE, site.code(secret), '')).toEqual(guestRefused)
  })
})

/** The recovery codes that nobody has signed in with. */
const goodCodes = () => site.db.select().from(recoveryCodes).where(isNull(recoveryCodes.usedBy))

describe('a sign-in with a recovery code', () => {
  test('works once with each', async () => {
    for (const code of await makeCodes()) {
      expect(await signIn(code)).toEqual(signedIn)
      expect(await signIn(code)).toEqual(wrongCodeAtSignIn)
    }
    expect(await goodCodes()).toEqual([])
    expect(await rowOfAlice()).toMatchObject({ totpSeed: expect.any(String) })
  })

  test('takes it in lower case, without hyphens and with blanks', async () => {
    const codes = await makeCodes()
    const spellings = [
      (code: string) => code.toLowerCase(),
      (code: string) => code.replaceAll('-', ''),
      (code: string) => code.replaceAll('-', ' ').toLowerCase(),
      (code: string) => ` ${code}\n`,
    ]
    for (const [index, spell] of spellings.entries()) {
      expect(await signIn(spell(codes[index] ?? ''))).toEqual(signedIn)
    }
    expect(await goodCodes()).toHaveLength(10 - spellings.length)
  })

  test('takes it with the right password only', async () => {
    const [code] = await makeCodes()
    expect(await site.login('alice', 'wrong-Passw0rd', code)).toEqual({
      code: 401,
      message: 'Invalid username or password',
      data: null,
    })
    expect(await signIn(code)).toEqual(signedIn)
  })

  test('takes no part of one, and nothing that is stored', async () => {
    const [code] = await makeCodes()
    const [row] = await site.db.select().from(recoveryCodes)
    const texts = [code.slice(0, -1), code.slice(0, 4), `${code}A`, row?.codeHash ?? '']
    for (const text of texts) expect(await signIn(text)).toEqual(wrongCodeAtSignIn)
    expect(await site.db.select().from(recoveryCodes)).toHaveLength(10)
  })

  test('gives one token for twenty uses at once', async () => {
    const [code] = await makeCodes()
    await site.db.delete(sessions)
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) => signIn(code, `198.51.100.${i}`)),
    )
    expect(answers.filter((answer) => answer.code === 200)).toEqual([signedIn])
    expect(answers.filter((answer) => [402, 429].includes(answer.code))).toHaveLength(19)
    expect(await site.db.select().from(sessions)).toHaveLength(1)
    expect(await goodCodes()).toHaveLength(9)
  })

  test('uses up no time step', async () => {
    const [code] = await makeCodes()
    expect(await signIn(code)).toEqual(signedIn)
    expect(await signIn(site.code(secret))).toEqual(signedIn)
  })
})

describe('POST /api/auth/2fa/disable', () => {
  const ways: [string, (recoveryCode: string) => string][] = [
    ['a code', () => site.code(secret)],
    ['a recovery code', (recoveryCode) => recoveryCode.toLowerCase()],
  ]

  test.each(ways)('switches two-step verification off for %s', async (_, choose) => {
    const [recoveryCode] = await makeCodes()
    expect(await prove(DISABLE, choose(recoveryCode))).toEqual(success)
    expect((await site.get('/api/me', { token })).data.otp).toBe(false)
    expect(await rowOfAlice()).toMatchObject({ totpSeed: null })
    expect(await signIn()).toEqual(signedIn)
  })

  test('ends the recovery codes and the other sessions, and keeps its own', async () => {
    const codes = await makeCodes()
    const other = (await signIn(codes[0])).data.token
    await site.addUser('bob', { password: 'bob-Passw0rd' })
    const bob = await site.token('bob', 'bob-Passw0rd')
    expect(await prove(DISABLE, codes[1])).toEqual(success)
    expect(await site.db.select().from(recoveryCodes)).toEqual([])
    expect(await site.get('/api/me', { token: other })).toEqual(invalidated)
    expect(await site.get('/api/me', { token })).toMatchObject({ code: 200 })
    expect(await site.get('/api/me', { token: bob })).toMatchObject({ code: 200 })
  })

  test('lets no old recovery code into the next enrolment', async () => {
    const codes = await makeCodes()
    expect(await prove(DISABLE, site.code(secret))).toEqual(success)
    secret = await site.enrol(token)
    expect(await signIn(codes[2])).toEqual(wrongCodeAtSignIn)
    expect(await signIn(site.code(secret))).toEqual(signedIn)
  })

  test('refuses a wrong code, and changes nothing', async () => {
    await makeCodes()
    const other = (await signIn(site.code(secret))).data.token
    const before = await rowOfAlice()
    expect(await prove(DISABLE, WRONG)).toEqual(wrongCode)
    expect(await rowOfAlice()).toEqual(before)
    expect(await site.db.select().from(recoveryCodes)).toHaveLength(10)
    expect(await site.get('/api/me', { token: other })).toMatchObject({ code: 200 })
  })

  test('refuses the code of a sign-in, and any older one', async () => {
    const [older, code] = [site.code(secret, -1), site.code(secret)]
    expect(await signIn(code)).toEqual(signedIn)
    expect(await prove(DISABLE, code)).toEqual(wrongCode)
    expect(await prove(DISABLE, older)).toEqual(wrongCode)
    site.now += HALF_MINUTE
    expect(await prove(DISABLE, site.code(secret))).toEqual(success)
  })

  test('is refused while two-step verification is off', async () => {
    expect(await prove(DISABLE, site.code(secret))).toEqual(success)
    site.now += HALF_MINUTE
    expect(await prove(DISABLE, site.code(secret))).toEqual(notOn)
  })

  test('is not for a session that has ended', async () => {
    await site.db.delete(sessions)
    expect(await prove(DISABLE, site.code(secret))).toEqual(invalidated)
    expect(await rowOfAlice()).toMatchObject({ totpSeed: expect.any(String), totpStep: 0 })
  })
})

describe('wrong codes of a session', () => {
  test('count together, and keep their user from no sign-in', async () => {
    await waste(7, () => prove(DISABLE, WRONG))
    await waste(3, () => prove(RECOVERY_CODES, WRONG))
    expect(await prove(DISABLE, site.code(secret))).toEqual(tooMany)
    expect(await prove(RECOVERY_CODES, site.code(secret))).toEqual(tooMany)
    expect(await signIn(site.code(secret))).toMatchObject({ code: 200 })
    site.now = NOW + 15 * MINUTE
    await site.post('/api/me/confirm', { password: PASSWORD }, { token })
    expect(await prove(RECOVERY_CODES, site.code(secret))).toEqual(tenCodes)
  })

  test('are told when to come back', async () => {
    await waste(10, () => prove(DISABLE, WRONG))
    site.now += 5 * MINUTE
    const body = { otp_code: site.code(secret) }
    const response = await site.fetch('POST', DISABLE, { token, body })
    expect(await response.json()).toEqual(tooMany)
    expect(response.headers.get('Retry-After')).toBe('600')
    expect(await rowOfAlice()).toMatchObject({ totpStep: 0 })
  })

  test('are forgotten after a right one', async () => {
    for (let round = 0; round < 3; round++) {
      await waste(9, () => prove(DISABLE, WRONG))
      expect(await prove(RECOVERY_CODES, site.code(secret))).toEqual(tenCodes)
      site.now += HALF_MINUTE
    }
  })

  test('count the same when they look like recovery codes, and use none up', async () => {
    const [code] = await makeCodes()
    await waste(10, () => prove(DISABLE, 'ABCD-EFGH-IJKL-MNOP'))
    expect(await prove(DISABLE, code)).toEqual(tooMany)
    const codes = await site.db.select().from(recoveryCodes)
    expect(codes.map(({ usedBy }) => usedBy)).toEqual(Array.from({ length: 10 }, () => null))
  })
})

describe('the events', () => {
  test('tell what was done with codes', async () => {
    const [code] = await makeCodes()
    await signIn(code)
    await signIn(code)
    await prove(DISABLE, WRONG)
    await prove(DISABLE, site.code(secret))
    const rows = await site.db.select().from(auditEvents).orderBy(asc(auditEvents.id))
    expect(rows.map(({ kind, detail, userId }) => [kind, detail, userId])).toEqual([
      ['sign_in', 'pwd', 3],
      ['two_factor_on', '', 3],
      ['recovery_codes_made', '', 3],
      ['recovery_code_used', '', 3],
      ['sign_in', 'pwd recovery', 3],
      ['sign_in_refused', 'code', 3],
      ['proof_refused', 'code', 3],
      ['two_factor_off', '', 3],
    ])
  })
})
