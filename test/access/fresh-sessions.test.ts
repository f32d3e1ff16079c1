import { asc, eq } from 'drizzle-orm'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { auditEvents, recoveryCodes, sessions, sshKeys, users } from '../../schema/tables.ts'
import type { Deps } from '../../src/core/deps.ts'
import { cheapHash } from '../support/cheap-hash.ts'
import { CheapSite } from '../support/cheap-site.ts'
import { prepared } from '../support/prepared.ts'
import { loggedLines } from '../support/log.ts'
import { ED1 } from '../reference/keys.ts'
import { ADMIN_PASSWORD, HOUR, MINUTE, NOW, SECOND } from '../support/site.ts'

const success = { code: 200, message: 'success', data: null }
const stale = { code: 403, message: 'Sign in again or confirm to do this', data: null }
const wrongPassword = { code: 403, message: 'password is wrong', data: null }
const wrongCode = { code: 403, message: 'Invalid 2FA code', data: null }
const invalidated = { code: 401, message: 'token is invalidated', data: null }
const notOn = { code: 400, message: '2FA is not enabled', data: null }
const tooMany = {
  code: 429,
  message:
    'Too many unsuccessful sign-in attempts have been made using an incorrect username or password, Try again later.',
  data: null,
}

const PASSWORD = 'alice-Passw0rd'
const NEW = 'another-Passw0rd'
const CONFIRM = '/api/me/confirm'
const STALE = 10 * MINUTE
const HALF_MINUTE = 30 * SECOND
const ALICE = 3

const hashes = vi.fn<Deps['hashPassword']>(cheapHash)
let site: CheapSite
let token: string
let admin: string

const signInBoth = prepared(async (arranged) => ({
  ofAlice: await arranged.addSignedInUser(),
  ofAdmin: await arranged.token('admin', ADMIN_PASSWORD),
}))

beforeEach(async () => {
  site = new CheapSite({ hashPassword: hashes })
  const { ofAlice, ofAdmin } = await signInBoth(site)
  token = ofAlice
  admin = ofAdmin
  hashes.mockClear()
})

const post = (path: string, body?: unknown, as = token) => site.post(path, body, { token: as })
const confirm = (body: unknown = { password: PASSWORD }, as = token) => post(CONFIRM, body, as)
const generate = async () => (await post('/api/auth/2fa/generate')).data.secret
const addKey = (title = 'laptop') => post('/api/me/sshkey/add', { title, key: ED1 })

/** All that a guarded call could have changed. */
async function readEverything(): Promise<unknown> {
  const { db } = site
  return JSON.stringify(
    await db.batch([
      db.select().from(users),
      db.select().from(sessions),
      db.select().from(sshKeys),
      db.select().from(recoveryCodes),
      db.select().from(auditEvents),
    ]),
  )
}

/** What needs a fresh session; each arranges what it takes while the session is fresh. */
const GUARDED: Record<string, () => Promise<() => ReturnType<typeof post>>> = {
  '2fa/verify': async () => {
    site.now += MINUTE
    const secret = await generate()
    return () => post('/api/auth/2fa/verify', { secret, code: site.code(secret) })
  },
  '2fa/disable': async () => {
    const secret = await site.enrol(token)
    return () => post('/api/auth/2fa/disable', { otp_code: site.code(secret) })
  },
  '2fa/recovery_codes': async () => {
    const secret = await site.enrol(token)
    return () => post('/api/auth/2fa/recovery_codes', { otp_code: site.code(secret) })
  },
  'sshkey/add': async () => () => addKey(),
  'me/update of the name': async () => () => post('/api/me/update', { username: 'alicia' }),
  'me/update of the password': async () => () =>
    post('/api/me/update', { username: 'alice', password: NEW }),
  'me/update of the SSO id': async () => {
    await site.db.update(users).set({ ssoId: 'alice@example.org' }).where(eq(users.id, ALICE))
    return () => post('/api/me/update', { username: 'alice', sso_id: '' })
  },
  "an operator's new name for a user": async () => () =>
    post('/api/admin/user/update', { id: ALICE, username: 'alicia' }, admin),
  "an operator's new name for themselves": async () => () =>
    post('/api/admin/user/update', { id: 1, username: 'root' }, admin),
  "an operator's new SSO id": async () => () =>
    post('/api/admin/user/update', { id: ALICE, sso_id: 'mallory@example.org' }, admin),
  "an operator's new user without a password": async () => () =>
    post('/api/admin/user/create', { username: 'mallory', password: '' }, admin),
  "an operator's new user with a password": async () => () =>
    post('/api/admin/user/create', { username: 'mallory', password: NEW }, admin),
  "an operator's new password": async () => () =>
    post('/api/admin/user/update', { id: ALICE, password: NEW }, admin),
  "an operator's cancel_2fa": async () => {
    await site.enrol(token)
    return () => post(`/api/admin/user/cancel_2fa?id=${ALICE}`, undefined, admin)
  },
}

describe('a session that is ten minutes old', () => {
  test.each(Object.entries(GUARDED))('may not do %s, and changes nothing', async (_, arrange) => {
    const act = await arrange()
    site.now = NOW + STALE
    hashes.mockClear()
    const before = await readEverything()
    expect(await act()).toEqual(stale)
    expect(hashes).not.toHaveBeenCalled()
    expect(await readEverything()).toEqual(before)
  })

  test.each(Object.entries(GUARDED))('may do %s once it is confirmed', async (_, arrange) => {
    const act = await arrange()
    site.now = NOW + STALE
    expect(await confirm()).toEqual(success)
    expect(await confirm({ password: ADMIN_PASSWORD }, admin)).toEqual(success)
    expect(await act()).toMatchObject({ code: 200 })
  })

  test.each(Object.entries(GUARDED))('may do %s a second before that', async (_, arrange) => {
    const act = await arrange()
    site.now = NOW + STALE - SECOND
    expect(await act()).toMatchObject({ code: 200 })
  })

  test('uses up no code of a guarded call that is refused', async () => {
    const secret = await site.enrol(token)
    site.now = NOW + STALE
    const code = site.code(secret)
    expect(await post('/api/auth/2fa/disable', { otp_code: code })).toEqual(stale)
    expect(await confirm()).toEqual(success)
    expect(await post('/api/auth/2fa/disable', { otp_code: code })).toEqual(success)
  })

  test('changes nothing when it has got so old while a password was hashed', async () => {
    for (const [path, body, as] of [
      ['/api/me/update', { username: 'alice', password: NEW }, token],
      ['/api/admin/user/update', { id: ALICE, password: NEW }, admin],
    ] as const) {
      site.now = NOW + STALE - SECOND
      hashes.mockImplementationOnce(async (digest, salt) => {
        site.now = NOW + STALE
        return cheapHash(digest, salt)
      })
      expect(await post(path, body, as), path).toEqual(stale)
    }
    expect(await site.login('alice', PASSWORD)).toMatchObject({ code: 200 })
  })

  test('is told first what is wrong with its request', async () => {
    site.now = NOW + STALE
    for (const [path, body] of [
      ['/api/me/sshkey/add', { title: 'laptop', key: 'hello' }],
      ['/api/me/update', { username: 'alice', password: 'short' }],
      ['/api/auth/2fa/verify', { code: '123456' }],
      ['/api/auth/2fa/disable', {}],
    ] as const)
      expect(await post(path, body), path).toMatchObject({ code: 400 })
    const short = { id: ALICE, password: 'short' }
    expect(await post('/api/admin/user/update', short, admin)).toMatchObject({ code: 400 })
    // What only D1 can tell comes after the session.
    const common = { username: 'alice', password: 'password1' }
    expect(await post('/api/me/update', common)).toEqual(stale)
    expect(await post('/api/admin/user/update', { id: ALICE, ...common }, admin)).toEqual(stale)
  })

  test('reads, and deletes keys and sessions of its user', async () => {
    await addKey()
    const other = await site.token('alice', PASSWORD)
    site.now = NOW + HOUR
    for (const path of ['', '/sshkey/list', '/sessions', '/events'])
      expect(await site.get(`/api/me${path}`, { token })).toMatchObject({ code: 200 })
    const { content } = (await site.get('/api/me/sessions', { token })).data
    const { id } = content.find((session: { current: boolean }) => !session.current)
    expect(await post(`/api/me/sessions/delete?id=${id}`)).toEqual(success)
    expect(await post('/api/me/sessions/delete_others')).toEqual(success)
    expect(await post('/api/me/sshkey/delete?id=1')).toEqual(success)
    expect(await site.get('/api/me', { token: other })).toEqual(invalidated)
  })

  test('sends its own name and SSO id back unchanged, as the stock client does', async () => {
    const ssoId = 'alice@example.org'
    await site.db.update(users).set({ ssoId }).where(eq(users.id, ALICE))
    const body = { username: 'alice', sso_id: ssoId, password: '' }
    expect(await post('/api/me/update', body)).toEqual(success)
    site.now = NOW + HOUR
    expect(await post('/api/me/update', body)).toEqual(success)
  })

  test('renames with the old password in the same request', async () => {
    site.now = NOW + HOUR
    const rename = { username: 'alicia', old_password: 'wrong-Passw0rd' }
    expect(await post('/api/me/update', rename)).toMatchObject({
      code: 403,
      message: 'old_password is wrong',
    })
    expect(await post('/api/me/update', { ...rename, old_password: PASSWORD })).toEqual(success)
    expect((await site.get('/api/me', { token })).data.username).toBe('alicia')
  })

  test('lets an operator take access away', async () => {
    site.now = NOW + HOUR
    for (const [path, body] of [
      ['/api/admin/user/update', { id: ALICE, base_path: '/a', password: '', role: 0 }],
      ['/api/admin/user/update', { id: ALICE, disabled: true }],
      ['/api/admin/user/list', undefined],
    ] as const) {
      const method = path.endsWith('list') ? 'GET' : 'POST'
      expect(await site.call(method, path, { token: admin, body }), path).toMatchObject({
        code: 200,
      })
    }
  })
})

describe('POST /api/me/confirm', () => {
  test('makes its own session fresh for ten minutes, and no other', async () => {
    const other = await site.token('alice', PASSWORD)
    site.now = NOW + STALE
    expect(await confirm()).toEqual(success)
    expect(await post('/api/me/update', { username: 'alicia' }, other)).toEqual(stale)
    site.now += STALE - SECOND
    expect(await addKey()).toEqual(success)
    site.now += SECOND
    expect(await addKey('desk')).toEqual(stale)
  })

  test('takes a code of the authenticator, once', async () => {
    const secret = await site.enrol(token)
    site.now = NOW + STALE
    const code = site.code(secret)
    expect(await confirm({ otp_code: code })).toEqual(success)
    expect(await addKey()).toEqual(success)
    expect(await confirm({ otp_code: code })).toEqual(wrongCode)
    expect(await site.login('alice', PASSWORD, code)).toMatchObject({ code: 402 })
  })

  test('takes a recovery code, once', async () => {
    const secret = await site.enrol(token)
    const { data } = await post('/api/auth/2fa/recovery_codes', { otp_code: site.code(secret) })
    const body = { otp_code: data.recovery_codes[0] }
    site.now = NOW + STALE
    expect(await confirm(body)).toEqual(success)
    expect(await addKey()).toEqual(success)
    expect(await confirm(body)).toEqual(wrongCode)
  })

  test('takes one code at once for one session of several', async () => {
    const secret = await site.enrol(token)
    const tokens = [token]
    for (let i = 0; i < 4; i++) {
      tokens.push(await site.token('alice', PASSWORD, site.code(secret)))
      site.now += HALF_MINUTE
    }
    site.now += STALE
    const body = { otp_code: site.code(secret) }
    const answers = await Promise.all(tokens.map((as) => confirm(body, as)))
    expect(answers.filter(({ code }) => code === 200)).toEqual([success])
    expect(answers.filter(({ code }) => code !== 200)).toEqual([
      wrongCode,
      wrongCode,
      wrongCode,
      wrongCode,
    ])
    const rows = await site.db.select().from(sessions).where(eq(sessions.userId, ALICE))
    expect(rows.filter(({ confirmedAt }) => confirmedAt > 0)).toHaveLength(1)
  })

  test('refuses a wrong password and a wrong code, and confirms nothing', async () => {
    await site.enrol(token)
    site.now = NOW + STALE
    expect(await confirm({ password: 'wrong-Passw0rd' })).toEqual(wrongPassword)
    expect(await confirm({ otp_code: '000000' })).toEqual(wrongCode)
    expect(await addKey()).toEqual(stale)
  })

  test('refuses a code while two-step verification is off', async () => {
    expect(await confirm({ otp_code: '123456' })).toEqual(notOn)
  })

  test.each([
    [{}],
    [{ password: '' }],
    [{ password: '', otp_code: '' }],
    [{ password: PASSWORD, otp_code: '123456' }],
    [{ password: null }],
  ])('asks for one proof, and exactly one: %j', async (body) => {
    expect(await confirm(body)).toEqual({
      code: 400,
      message: 'request body must have one of password, otp_code and assertion',
      data: null,
    })
    expect(hashes).not.toHaveBeenCalled()
  })

  test.each([
    ['a dead token', 'dead', invalidated],
    ['nobody', '', { code: 401, message: 'Guest user is disabled, login please', data: null }],
  ])('is not for %s', async (_, as, answer) => {
    expect(await confirm(undefined, as)).toEqual(answer)
  })

  test('is not for the guest, nor for a session that has ended', async () => {
    await site.db.delete(sessions)
    expect(await confirm()).toEqual(invalidated)
    expect(hashes).not.toHaveBeenCalled()
    await site.db.update(users).set({ disabled: false })
    expect(await confirm({}, '')).toEqual({
      code: 403,
      message: 'Guest user has no sessions',
      data: null,
    })
  })

  test('counts its wrong passwords together with wrong old ones, and hashes no more then', async () => {
    site.now = NOW + STALE
    for (let i = 0; i < 5; i++) {
      expect(await confirm({ password: `wrong ${i}` })).toEqual(wrongPassword)
      const body = { username: 'alice', password: NEW, old_password: `wrong ${i}` }
      expect(await post('/api/me/update', body)).toMatchObject({ code: 403 })
    }
    hashes.mockClear()
    expect(await confirm()).toEqual(tooMany)
    expect(hashes).not.toHaveBeenCalled()
    site.now += 15 * MINUTE
    expect(await confirm()).toEqual(success)
  })

  test('counts its wrong codes apart from those of sign-ins', async () => {
    const secret = await site.enrol(token)
    site.now = NOW + STALE
    for (let i = 0; i < 10; i++) expect(await confirm({ otp_code: '000000' })).toEqual(wrongCode)
    expect(await confirm({ otp_code: site.code(secret) })).toEqual(tooMany)
    expect(await site.login('alice', PASSWORD, site.code(secret))).toMatchObject({ code: 200 })
  })

  test('hashes ten times when twenty wrong passwords come at once', async () => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) => confirm({ password: `wrong ${i}` })),
    )
    expect(answers.filter(({ code }) => code === 403)).toHaveLength(10)
    expect(hashes).toHaveBeenCalledTimes(10)
  })

  test('forgets the wrong passwords before a right one', async () => {
    for (let round = 0; round < 2; round++) {
      for (let i = 0; i < 9; i++)
        expect(await confirm({ password: 'wrong' })).toEqual(wrongPassword)
      expect(await confirm()).toEqual(success)
    }
  })

  test('takes two round trips with a password, and three with a code', async () => {
    const secret = await site.enrol(token)
    expect(await confirm()).toEqual(success)
    expect(site.meter.roundTrips).toBe(2)
    expect(await confirm({ otp_code: site.code(secret) })).toEqual(success)
    expect(site.meter.roundTrips).toBe(3)
  })
})

describe('a proof that is refused after sign-in', () => {
  const wrong: [string, string, () => Promise<unknown>][] = [
    [
      'an old password',
      'password',
      () => post('/api/me/update', { username: 'alice', password: NEW, old_password: 'wrong' }),
    ],
    ['a password', 'password', () => confirm({ password: 'wrong' })],
    ['a code that confirms', 'code', () => confirm({ otp_code: '000000' })],
    ['a code', 'code', () => post('/api/auth/2fa/disable', { otp_code: '000000' })],
    [
      'a code for new codes',
      'code',
      () => post('/api/auth/2fa/recovery_codes', { otp_code: '000000' }),
    ],
  ]

  test.each(wrong)('%s leaves an event and a line in the log', async (_, detail, act) => {
    await site.enrol(token)
    const line = `"kind":"proof_refused","user":${ALICE},"detail":"${detail}"`
    const before = loggedLines(line).length
    await act()
    expect(loggedLines(line)).toHaveLength(before + 1)
    const [last] = (await site.db.select().from(auditEvents).orderBy(asc(auditEvents.id))).slice(-1)
    expect(last).toMatchObject({ kind: 'proof_refused', detail, userId: ALICE, at: site.now })
  })

  test.each(wrong)('%s is one line of the log, no event, once throttled', async (_, what, act) => {
    await site.enrol(token)
    for (let i = 0; i < 10; i++) await act()
    const line = `"detail":"too many ${what}s","network":"192.0.2.1"`
    const events = await site.db.$count(auditEvents)
    const before = loggedLines(line).length
    await act()
    expect(await site.db.$count(auditEvents)).toBe(events)
    expect(loggedLines(line)).toHaveLength(before + 1)
  })
})

/** Alice signed in to a site whose operator has set this. */
async function siteWith(minutes: string | undefined) {
  const bindings: Partial<Env> = JSON.parse(JSON.stringify({ FRESH_MINUTES: minutes ?? null }))
  const other = new CheapSite({}, bindings)
  return { other, as: await other.token('alice', PASSWORD) }
}

describe('FRESH_MINUTES', () => {
  const key = { title: 'laptop', key: ED1 }

  test('0 never asks', async () => {
    const { other, as } = await siteWith('0')
    other.now = NOW + 47 * HOUR
    expect(await other.post('/api/me/sshkey/add', key, { token: as })).toEqual(success)
  })

  test('says for how long a session is fresh', async () => {
    const { other, as } = await siteWith('60')
    other.now = NOW + HOUR - SECOND
    expect(await other.post('/api/me/sshkey/add', key, { token: as })).toEqual(success)
    other.now = NOW + HOUR
    const desk = { ...key, title: 'desk' }
    expect(await other.post('/api/me/sshkey/add', desk, { token: as })).toEqual(stale)
  })

  test('is 10 where an operator has not set it', async () => {
    const { other, as } = await siteWith(undefined)
    other.now = NOW + 10 * MINUTE - SECOND
    expect(await other.post('/api/me/sshkey/add', key, { token: as })).toEqual(success)
    other.now = NOW + 10 * MINUTE
    const desk = { ...key, title: 'desk' }
    expect(await other.post('/api/me/sshkey/add', desk, { token: as })).toEqual(stale)
  })

  test.each(['', ' ', '-1', '1.5', 'ten', 'Infinity', '1e1', '525601'])(
    'is refused with the remedy in the log: %j',
    async (minutes) => {
      const { other, as } = await siteWith(minutes)
      const remedy = 'FRESH_MINUTES must be 0 to 525600'
      const before = loggedLines(remedy).length
      expect(await other.post('/api/me/sshkey/add', key, { token: as })).toMatchObject({
        code: 500,
        message: 'internal error',
      })
      expect(loggedLines(remedy)).toHaveLength(before + 1)
      expect(await other.db.select().from(sshKeys)).toEqual([])
    },
  )
})
