import { eq } from 'drizzle-orm'
import { beforeEach, describe, expect, test } from 'vitest'
import { sessions, users } from '../../schema/tables.ts'
import { CheapSite } from '../support/cheap-site.ts'
import { signInAlice } from '../support/signed-in.ts'
import { ADMIN_PASSWORD, MINUTE } from '../support/site.ts'

const success = { code: 200, message: 'success', data: null }
const usernameTaken = { code: 409, message: 'username is already taken', data: null }
const wrongCredentials = { code: 401, message: 'Invalid username or password', data: null }
const passwordChanged = {
  code: 401,
  message: 'Password has been changed, login please',
  data: null,
}
const guestDisabled = { code: 401, message: 'Guest user is disabled, login please', data: null }
const guestProfile = { code: 403, message: 'Guest user can not update profile', data: null }

let site: CheapSite

beforeEach(() => {
  site = new CheapSite()
})

async function rowOfAlice() {
  const [row] = await site.db.select().from(users).where(eq(users.id, 3))
  return row
}

const noHasher = () => Promise.reject(new Error('nobody asked for a hash'))

describe('GET /api/me', () => {
  test('has exactly nine fields, in this order', async () => {
    const token = await signInAlice(site)
    const { data } = await site.get('/api/me', { token })
    expect(Object.entries(data)).toEqual([
      ['id', 3],
      ['username', 'alice'],
      ['password', ''],
      ['base_path', '/'],
      ['role', 0],
      ['disabled', false],
      ['permission', 0],
      ['sso_id', ''],
      ['otp', false],
    ])
  })

  test('shows what the database holds, unknown permission bits included', async () => {
    await site.addUser('Ünïcode 🗝️', {
      password: 'x',
      role: 2,
      permission: 0x7fffffff,
      basePath: '/ä/b',
      ssoId: 'sso-1',
    })
    const token = await site.token('Ünïcode 🗝️', 'x')
    expect(await site.get('/api/me', { token })).toEqual({
      code: 200,
      message: 'success',
      data: {
        id: 1,
        username: 'Ünïcode 🗝️',
        password: '',
        base_path: '/ä/b',
        role: 2,
        disabled: false,
        permission: 0x7fffffff,
        sso_id: 'sso-1',
        otp: false,
      },
    })
  })

  test('is the guest without a token, when the guest is enabled', async () => {
    await site.addFirstUsers({ guestDisabled: false })
    for (const call of [{}, { token: '' }, { token: ' \t ' }]) {
      expect(await site.get('/api/me', call)).toEqual({
        code: 200,
        message: 'success',
        data: {
          id: 2,
          username: 'guest',
          password: '',
          base_path: '/',
          role: 1,
          disabled: false,
          permission: 0,
          sso_id: '',
          otp: false,
        },
      })
    }
  })

  test('refuses the guest who is disabled or missing', async () => {
    expect(await site.get('/api/me')).toEqual(guestDisabled)
    await site.addFirstUsers()
    expect(await site.get('/api/me')).toEqual(guestDisabled)
    expect(await site.get('/api/me', { token: '' })).toEqual(guestDisabled)
  })

  test('reads no token but that of the Authorization header', async () => {
    const token = await signInAlice(site)
    const headers = { Cookie: `token=${token}`, 'X-Token': token }
    expect(await site.get(`/api/me?token=${token}`, { headers })).toEqual(guestDisabled)
  })
})

describe('POST /api/me/update', () => {
  let token: string

  beforeEach(async () => {
    token = await signInAlice(site)
  })

  const update = (body: unknown, call = token) => site.post('/api/me/update', body, { token: call })

  test('renames, keeps the token and lets the new name in', async () => {
    expect(await update({ username: 'alicia' })).toEqual(success)
    expect((await site.get('/api/me', { token })).data.username).toBe('alicia')
    expect(await site.login('alicia', 'alice-Passw0rd')).toMatchObject({ code: 200 })
    expect(await site.login('alice', 'alice-Passw0rd')).toEqual(wrongCredentials)
  })

  test('lets a user spell the own name differently', async () => {
    for (const username of ['Alice', 'ＡＬＩＣＥ', 'alice']) {
      expect(await update({ username }), username).toEqual(success)
      expect((await site.get('/api/me', { token })).data.username).toBe(username)
    }
  })

  test('refuses a name that looks like another user, and changes nothing', async () => {
    await site.addUser('Ünïcøde', { password: 'x' })
    await site.addUser('straße')
    const before = await rowOfAlice()
    const taken = [
      'admin',
      'Admin',
      'ADMIN',
      'ａｄｍｉｎ',
      'guest',
      'Ünïcøde',
      'ÜNÏCØDE',
      'Ünïcøde'.normalize('NFD'),
      'STRASSE',
    ]
    for (const username of taken) {
      const body = { username, password: 'new-Passw0rd', sso_id: '' }
      expect(await update({ username, sso_id: '' }), username).toEqual(usernameTaken)
      expect(await update(body), username).toEqual(usernameTaken)
    }
    expect(await rowOfAlice()).toEqual(before)
    expect(await site.get('/api/me', { token })).toMatchObject({ code: 200 })
    expect(await site.login('alice', 'alice-Passw0rd')).toMatchObject({ code: 200 })
    expect(await site.login('admin', ADMIN_PASSWORD)).toMatchObject({ code: 200 })
  })

  test('gives one name to one of two who ask at once', async () => {
    await site.addUser('bob', { password: 'bob-Passw0rd' })
    const bob = await site.token('bob', 'bob-Passw0rd')
    const answers = await Promise.all([
      update({ username: 'carol' }),
      update({ username: 'CAROL' }, bob),
    ])
    expect(answers).toContainEqual(success)
    expect(answers).toContainEqual(usernameTaken)
  })

  // test/sso/accounts.test.ts has the sso_id that a provider has proven.
  test('keeps the sso_id that is left out, and takes no other but an empty one', async () => {
    await site.db.update(users).set({ ssoId: 'sso-1' })
    expect(await update({ username: 'alice', sso_id: 'sso-2' })).toMatchObject({ code: 403 })
    expect(await update({ username: 'alice', sso_id: 'sso-1' })).toEqual(success)
    expect(await update({ username: 'alice' })).toEqual(success)
    expect(await update({ username: 'alice', sso_id: null })).toEqual(success)
    expect((await rowOfAlice())?.ssoId).toBe('sso-1')
    expect(await update({ username: 'alice', sso_id: '' })).toEqual(success)
    expect((await rowOfAlice())?.ssoId).toBe('')
  })

  test('ends every session of the user when the password changes, and no other', async () => {
    const phone = await site.token('alice', 'alice-Passw0rd')
    const admin = await site.token('admin', ADMIN_PASSWORD)
    site.now += MINUTE
    expect(await update({ username: 'alice', password: 'new-Passw0rd' })).toEqual(success)
    for (const ended of [token, phone]) {
      expect(await site.get('/api/me', { token: ended })).toEqual(passwordChanged)
    }
    expect(await site.get('/api/me', { token: admin })).toMatchObject({ code: 200 })
    expect(await site.login('alice', 'alice-Passw0rd')).toEqual(wrongCredentials)
    const fresh = await site.token('alice', 'new-Passw0rd')
    expect(await site.get('/api/me', { token: fresh })).toMatchObject({ code: 200 })
    expect(await update({ username: 'x', password: 'old-Passw0rd' })).toEqual(passwordChanged)
  })

  test('ends the sessions of the same second, and lets the same second sign in', async () => {
    expect(await update({ username: 'alice', password: 'alice-Passw0rd' })).toEqual(success)
    expect(await site.get('/api/me', { token })).toEqual(passwordChanged)
    const fresh = await site.token('alice', 'alice-Passw0rd')
    expect(await site.get('/api/me', { token: fresh })).toMatchObject({ code: 200 })
  })

  test('keeps the password when it is empty, null or left out', async () => {
    for (const password of [{ password: '' }, { password: null }, {}]) {
      expect(await update({ username: 'alice', ...password })).toEqual(success)
    }
    expect(await site.get('/api/me', { token })).toMatchObject({ code: 200 })
    expect(await site.login('alice', 'alice-Passw0rd')).toMatchObject({ code: 200 })
  })

  test('changes nothing that only an admin may', async () => {
    const before = await rowOfAlice()
    const body = {
      id: 1,
      username: 'alice',
      role: 2,
      permission: 0xffff,
      disabled: true,
      base_path: '/secret',
      basePath: '/secret',
      otp: true,
      totpSeed: 'x',
      totp_seed: 'x',
      otp_secret: 'x',
      passwordHash: 'x',
      password_hash: 'x',
      passwordChangedAt: 1,
      createdAt: 1,
    }
    expect(await update(body)).toEqual(success)
    expect(await rowOfAlice()).toEqual(before)
    expect(await site.login('admin', ADMIN_PASSWORD)).toMatchObject({ code: 200 })
  })

  test('refuses names that are none, and says why', async () => {
    const reasons: [username: unknown, message: string][] = [
      [undefined, 'username is required'],
      [null, 'username is required'],
      ['', 'username is required'],
      [5, 'username must be a string'],
      ['x'.repeat(256), 'username must have at most 255 characters'],
      ['a\nb', 'username must not contain control characters'],
      ['a\u007fb', 'username must not contain control characters'],
      ['a\u0085b', 'username must not contain control characters'],
      ['a\0b', 'username must not contain NUL'],
      ['a\ud800b', 'username must be valid Unicode'],
      [' alice', 'username must not begin or end with a blank'],
      ['alice ', 'username must not begin or end with a blank'],
      ['alice\u00a0', 'username must not begin or end with a blank'],
      ['   ', 'username must not begin or end with a blank'],
      ['#7', 'username must not be # and digits, which mean an id'],
      ['#007', 'username must not be # and digits, which mean an id'],
      ['.', 'username must not be . or .. nor contain / or \\'],
      ['..', 'username must not be . or .. nor contain / or \\'],
      ['a/b', 'username must not be . or .. nor contain / or \\'],
      ['a\\b', 'username must not be . or .. nor contain / or \\'],
      ['a\u2028b', 'username must stand in one line'],
      ['a\u2029b', 'username must stand in one line'],
    ]
    for (const [username, message] of reasons) {
      expect(await update({ username }), message).toEqual({ code: 400, message, data: null })
    }
    expect((await site.get('/api/me', { token })).data.username).toBe('alice')
  })

  test('signs in who has had such a name before', async () => {
    for (const username of ['#7', '..', 'a/b', 'a\u2028b']) {
      await site.addUser(username, { password: 'alice-Passw0rd' })
      expect(await site.login(username, 'alice-Passw0rd'), username).toMatchObject({ code: 200 })
    }
  })

  test('takes any other name of up to 255 characters', async () => {
    for (const username of [
      'x',
      'x'.repeat(255),
      'ユーザー',
      "o'brien; drop table users",
      '..x',
      '#7a',
      '%',
    ]) {
      expect(await update({ username }), username).toEqual(success)
      expect((await site.get('/api/me', { token })).data.username).toBe(username)
      expect(await site.login(username, 'alice-Passw0rd')).toMatchObject({ code: 200 })
    }
  })

  test('refuses a password or sso_id that is no text', async () => {
    for (const field of ['password', 'sso_id']) {
      for (const value of [5, true, ['x'], {}]) {
        expect(await update({ username: 'alice', [field]: value }), field).toEqual({
          code: 400,
          message: `${field} must be a string`,
          data: null,
        })
      }
    }
  })

  test('refuses the guest', async () => {
    const answer = await update({ username: 'nobody', password: 'x' }, '')
    expect(answer).toEqual(guestDisabled)
    await site.db.update(users).set({ disabled: false })
    expect(await update({ username: 'nobody', password: 'x' }, '')).toEqual(guestProfile)
    const [guest] = await site.db.select().from(users).where(eq(users.id, 2))
    expect(guest).toMatchObject({ username: 'guest', passwordHash: null })
  })

  test('spends no hash on a session that has ended', async () => {
    await site.db.delete(sessions)
    const watched = new CheapSite({ hashPassword: noHasher })
    const body = { username: 'alice', password: 'new-Passw0rd' }
    expect(await watched.post('/api/me/update', body, { token })).toEqual({
      code: 401,
      message: 'token is invalidated',
      data: null,
    })
  })
})

describe('a user name that is not what it seems', () => {
  test.each(['\u200B', 'alice\u200B', 'ad\u00ADmin', '\u202Enimda', '\u115F'])(
    'is refused: %j',
    async (username) => {
      const token = await signInAlice(site)
      expect(await site.post('/api/me/update', { username }, { token })).toEqual({
        code: 400,
        message: 'username must not contain invisible characters',
        data: null,
      })
    },
  )

  test('has as many characters as people count in it', async () => {
    const token = await signInAlice(site)
    const rename = (username: string) => site.post('/api/me/update', { username }, { token })
    expect(await rename('🗝'.repeat(255))).toMatchObject({ code: 200 })
    expect(await rename('🗝'.repeat(256))).toEqual({
      code: 400,
      message: 'username must have at most 255 characters',
      data: null,
    })
  })
})

describe('the name of somebody who has files elsewhere', () => {
  const nameKept = {
    code: 403,
    message: 'your files are kept under your user name, only an administrator can change it',
    data: null,
  }

  test.each([8, 9, 10, 11])('is kept, with permission bit %i', async (bit) => {
    const token = await signInAlice(site)
    await site.db
      .update(users)
      .set({ permission: 1 << bit, ssoId: 'x' })
      .where(eq(users.username, 'alice'))
    const update = (body: object) => site.post('/api/me/update', body, { token })
    expect(await update({ username: 'root' })).toEqual(nameKept)
    expect(await update({ username: 'root', password: 'another-Passw0rd' })).toEqual(nameKept)
    expect(await update({ username: 'alice', sso_id: '' })).toMatchObject({ code: 200 })
    expect((await site.get('/api/me', { token })).data).toMatchObject({
      username: 'alice',
      sso_id: '',
    })
  })

  test('may change when it is an admin’s', async () => {
    await site.addFirstUsers()
    await site.db.update(users).set({ permission: 0x71ff })
    const token = await site.token('admin', ADMIN_PASSWORD)
    expect(await site.post('/api/me/update', { username: 'root' }, { token })).toMatchObject({
      code: 200,
    })
  })
})

test('GET /api/me takes one round trip', async () => {
  const token = await signInAlice(site)
  for (let i = 0; i < 3; i++) {
    await site.get('/api/me', { token })
    expect(site.meter.roundTrips).toBe(1)
  }
})
