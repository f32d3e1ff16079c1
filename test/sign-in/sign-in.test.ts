import { eq } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { sessions, users } from '../../schema/tables.ts'
import { staticDigest } from '../../src/core/passwords/passwords.ts'
import { cheapHash } from '../support/cheap-hash.ts'
import { CheapSite } from '../support/cheap-site.ts'
import { ADMIN_PASSWORD, Site } from '../support/site.ts'

const wrongCredentials = { code: 401, message: 'Invalid username or password', data: null }
const wrongCode = { code: 402, message: 'Invalid 2FA code', data: null }
const signedIn = {
  code: 200,
  message: 'success',
  data: { token: expect.stringMatching(/^ey.*\..*\..*$/) },
}

describe('POST /api/auth/login', () => {
  test('gives a token for the right password', async () => {
    const site = new Site()
    await site.addFirstUsers()
    expect(await site.login('admin', ADMIN_PASSWORD)).toEqual(signedIn)
  })

  test('answers every account that may not get in alike', async () => {
    const site = new CheapSite()
    await site.addFirstUsers({ guestDisabled: false })
    await site.addUser('off', { password: 'off-Passw0rd', disabled: true })
    await site.addUser('nopassword')
    await site.addUser('odd', { passwordHash: '$argon2id$v=19$nonsense' })
    const attempts = [
      ['admin', 'wrong'],
      ['Admin', ADMIN_PASSWORD],
      ['nobody', ADMIN_PASSWORD],
      ['off', 'off-Passw0rd'],
      ['guest', 'guest'],
      ['nopassword', 'x'],
      ['odd', 'x'],
      ['adm%', ADMIN_PASSWORD],
    ] as const
    for (const [username, password] of attempts) {
      expect(await site.login(username, password), username).toEqual(wrongCredentials)
    }
    expect(await site.db.select().from(sessions)).toEqual([])
  })

  test('takes the password as it is, blanks and Unicode form included', async () => {
    const site = new CheapSite()
    await site.addUser('Ünïcode', { password: ' pässwörd ' })
    expect(await site.login('Ünïcode', ' pässwörd ')).toEqual(signedIn)
    expect(await site.login('Ünïcode', 'pässwörd')).toEqual(wrongCredentials)
    expect(await site.login('Ünïcode', ' pässwörd '.normalize('NFD'))).toEqual(wrongCredentials)
    expect(await site.login('Ünïcode'.normalize('NFD'), ' pässwörd ')).toEqual(wrongCredentials)
  })

  test('gives two sign-ins in one second two tokens', async () => {
    const site = new CheapSite()
    await site.addFirstUsers()
    expect(await site.token('admin', ADMIN_PASSWORD)).not.toBe(
      await site.token('admin', ADMIN_PASSWORD),
    )
  })

  test('gives no token when the password changes while it is being checked', async () => {
    const site = new CheapSite({
      async hashPassword(digest, salt) {
        await site.db.update(users).set({ passwordChangedAt: site.now })
        return cheapHash(digest, salt)
      },
    })
    await site.addFirstUsers()
    expect(await site.login('admin', ADMIN_PASSWORD)).toEqual(wrongCredentials)
    expect(await site.db.select().from(sessions)).toEqual([])
  })

  test('ignores a dead token, as the stock client sends one', async () => {
    const site = new CheapSite()
    await site.addFirstUsers()
    const body = { username: 'admin', password: ADMIN_PASSWORD, otp_code: '' }
    expect(await site.post('/api/auth/login', body, { token: 'dead' })).toEqual(signedIn)
  })
})

describe('POST /api/auth/login/hash', () => {
  test('takes the static digest', async () => {
    const site = new Site()
    await site.addFirstUsers()
    const password = '48ac3d93cee8e78fc42a0b419dcc62036fefb413dca238e8ce4365a0206f20f8'
    expect(await staticDigest(ADMIN_PASSWORD)).toBe(password)
    expect(await site.post('/api/auth/login/hash', { username: 'admin', password })).toEqual(
      signedIn,
    )
  })

  test('takes neither the plain password nor another spelling of the digest', async () => {
    const site = new CheapSite()
    await site.addFirstUsers()
    const digest = await staticDigest(ADMIN_PASSWORD)
    for (const password of [ADMIN_PASSWORD, digest.toUpperCase(), ` ${digest}`, `${digest}\n`]) {
      expect(await site.post('/api/auth/login/hash', { username: 'admin', password })).toEqual(
        wrongCredentials,
      )
    }
  })
})

describe('a sign-in with two-step verification', () => {
  test('asks for the code once the password is right, and never before', async () => {
    const site = new CheapSite()
    const secret = await site.enrol(await site.addSignedInUser())
    expect(await site.login('alice', 'wrong', site.code(secret))).toEqual(wrongCredentials)
    expect(await site.login('alice', 'alice-Passw0rd')).toEqual(wrongCode)
    expect(await site.login('alice', 'alice-Passw0rd', '000000')).toEqual(wrongCode)
    expect(await site.login('alice', 'alice-Passw0rd', site.code(secret))).toEqual(signedIn)
  })

  test('takes each code once, and no older one after it', async () => {
    const site = new CheapSite()
    const secret = await site.enrol(await site.addSignedInUser())
    const [previous, current] = [site.code(secret, -1), site.code(secret)]
    expect(await site.login('alice', 'alice-Passw0rd', current)).toEqual(signedIn)
    expect(await site.login('alice', 'alice-Passw0rd', current)).toEqual(wrongCode)
    expect(await site.login('alice', 'alice-Passw0rd', previous)).toEqual(wrongCode)
    expect(await site.login('alice', 'alice-Passw0rd', site.code(secret, 1))).toEqual(signedIn)
  })

  test('takes one step of drift either way and blanks around the code', async () => {
    const site = new CheapSite()
    const secret = await site.enrol(await site.addSignedInUser())
    expect(await site.login('alice', 'alice-Passw0rd', site.code(secret, -2))).toEqual(wrongCode)
    expect(await site.login('alice', 'alice-Passw0rd', site.code(secret, 2))).toEqual(wrongCode)
    expect(await site.login('alice', 'alice-Passw0rd', ` ${site.code(secret, -1)}\n`)).toEqual(
      signedIn,
    )
  })

  test('gives one token for twenty uses of one code at once', async () => {
    const site = new CheapSite()
    const secret = await site.enrol(await site.addSignedInUser())
    await site.db.delete(sessions)
    const code = site.code(secret)
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        site.post(
          '/api/auth/login',
          { username: 'alice', password: 'alice-Passw0rd', otp_code: code },
          { headers: { 'CF-Connecting-IP': `198.51.100.${i}` } },
        ),
      ),
    )
    expect(answers.filter((answer) => answer.code === 200)).toHaveLength(1)
    expect(answers.filter((answer) => [402, 429].includes(answer.code))).toHaveLength(19)
    expect(await site.db.select().from(sessions)).toHaveLength(1)
  })

  test('does not open a seed that was copied from another user', async () => {
    const site = new CheapSite()
    const secret = await site.enrol(await site.addSignedInUser())
    const [alice] = await site.db.select().from(users).where(eq(users.username, 'alice'))
    await site.addUser('mallory', { password: 'mallory-Passw0rd', totpSeed: alice?.totpSeed ?? '' })
    expect(await site.login('mallory', 'mallory-Passw0rd', site.code(secret))).toMatchObject({
      code: 500,
    })
  })
})
