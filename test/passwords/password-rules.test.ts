import { dictionary } from '@zxcvbn-ts/language-common'
import { eq } from 'drizzle-orm'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { commonPasswords, sessions, users } from '../../schema/tables.ts'
import type { Deps } from '../../src/core/deps.ts'
import { cheapHash } from '../support/cheap-hash.ts'
import { CheapSite } from '../support/cheap-site.ts'
import { signInAlice } from '../support/signed-in.ts'
import { MINUTE, NOW, SECOND } from '../support/site.ts'

const success = { code: 200, message: 'success', data: null }
const wrongCredentials = { code: 401, message: 'Invalid username or password', data: null }
const signedIn = { code: 200, message: 'success', data: { token: expect.any(String) } }
const wrongLength = {
  code: 400,
  message: 'password must have 8 to 1024 characters',
  data: null,
}
const common = {
  code: 400,
  message: 'password is one of the most common ones, choose another',
  data: null,
}
const confirmationNeeded = {
  code: 403,
  message: 'Sign in again or confirm to do this',
  data: null,
}
const wrongOldPassword = { code: 403, message: 'old_password is wrong', data: null }
const tooMany = {
  code: 429,
  message:
    'Too many unsuccessful sign-in attempts have been made using an incorrect username or password, Try again later.',
  data: null,
}

const OLD = 'alice-Passw0rd'
const NEW = 'another-Passw0rd'

const hashes = vi.fn<Deps['hashPassword']>(cheapHash)
let site: CheapSite
let token: string

beforeEach(async () => {
  site = new CheapSite({ hashPassword: hashes })
  token = await signInAlice(site)
  hashes.mockClear()
})

const change = (password: string, oldPassword?: string) =>
  site.post(
    '/api/me/update',
    {
      username: 'alice',
      password,
      ...(oldPassword !== undefined && { old_password: oldPassword }),
    },
    { token },
  )

async function rowOfAlice() {
  const [row] = await site.db.select().from(users).where(eq(users.username, 'alice'))
  return row
}

describe('a new password', () => {
  test.each([
    ['1 character', 'x'],
    ['7 letters', 'abcdefg'],
    ['7 emoji', '🗝'.repeat(7)],
    ['7 letters in 14 code units', '𝔸'.repeat(7)],
    ['1025 characters', 'q'.repeat(1025)],
    ['1025 emoji', '🗝'.repeat(1025)],
  ])('of %s is refused before any hash', async (_, password) => {
    const before = await rowOfAlice()
    expect(await change(password, OLD)).toEqual(wrongLength)
    expect(hashes).not.toHaveBeenCalled()
    expect(await rowOfAlice()).toEqual(before)
  })

  test.each([
    ['8 letters', 'abcdefgx'],
    ['8 emoji', '🗝🚪🏠🔒🔑🛖🪟🧱'],
    ['8 blanks', ' '.repeat(8)],
    ['1024 characters', 'q'.repeat(1024)],
    ['1024 emoji', '🗝'.repeat(1024)],
  ])('of %s is taken', async (_, password) => {
    expect(await change(password)).toEqual(success)
    expect(await site.login('alice', password)).toEqual(signedIn)
    expect(await site.login('alice', OLD)).toEqual(wrongCredentials)
  })

  test.each([
    'password1',
    'PASSWORD',
    'PassWord',
    '12345678',
    'qwertyuiop',
    'iloveyou',
    'ILoveYou',
  ])('%s is refused as one that everybody tries, before any hash', async (password) => {
    expect(await change(password, OLD)).toEqual(common)
    expect(hashes).not.toHaveBeenCalled()
    expect(await site.get('/api/me', { token })).toMatchObject({ code: 200 })
  })

  test.each([
    ' iloveyou',
    'iloveyou ',
    'iloveyou-x',
    'iloveyo_',
    'iloveyo%',
    '%%%%%%%%',
    '________',
  ])('"%s" is none of them', async (password) => {
    expect(await change(password)).toEqual(success)
  })

  test('is stored exactly as given', async () => {
    const password = ' Ünïcode pässwörd\t'.normalize('NFC')
    expect(await change(password)).toEqual(success)
    const others = [password.trim(), password.normalize('NFD'), password.toLowerCase()]
    for (const other of others) {
      expect(await site.login('alice', other)).toEqual(wrongCredentials)
    }
    expect(await site.login('alice', password)).toEqual(signedIn)
  })

  test('needs no capitals, digits or signs', async () => {
    expect(await change('correct horse battery staple')).toEqual(success)
  })

  test('may be the old one again', async () => {
    expect(await change(OLD)).toEqual(success)
    expect(await site.login('alice', OLD)).toEqual(signedIn)
  })

  test('that is empty or null leaves the old one in force', async () => {
    const before = await rowOfAlice()
    for (const password of ['', null]) {
      const body = { username: 'alice', password }
      expect(await site.post('/api/me/update', body, { token })).toEqual(success)
    }
    expect(await rowOfAlice()).toEqual(before)
  })
})

describe('the list of common passwords', () => {
  test('is the first ten thousand of zxcvbn that are long enough, in lower case', async () => {
    const expected = dictionary['passwords-common']
      .slice(0, 10_000)
      .map((password) => password.toLowerCase())
      .filter((password) => Array.from(password).length >= 8)
    const rows = await site.db.select().from(commonPasswords)
    expect(rows.map((row) => row.password).toSorted()).toEqual(
      Array.from(new Set(expected)).toSorted(),
    )
  })
})

describe('old_password', () => {
  test('is not needed in the first ten minutes of a session', async () => {
    site.now = NOW + 10 * MINUTE - SECOND
    expect(await change(NEW)).toEqual(success)
    expect(await site.login('alice', NEW)).toEqual(signedIn)
  })

  test('is needed from then on', async () => {
    site.now = NOW + 10 * MINUTE
    expect(await change(NEW)).toEqual(confirmationNeeded)
    expect(await change(NEW, '')).toEqual(confirmationNeeded)
    expect(hashes).not.toHaveBeenCalled()
    expect(await site.get('/api/me', { token })).toMatchObject({ code: 200 })
    expect(await change(NEW, OLD)).toEqual(success)
    expect(await site.login('alice', NEW)).toEqual(signedIn)
  })

  test('is not needed where nothing changes, as when the stock client saves a profile', async () => {
    const body = { username: 'alice', sso_id: '', password: '' }
    expect(await site.post('/api/me/update', body, { token })).toEqual(success)
    site.now = NOW + 10 * MINUTE
    expect(await site.post('/api/me/update', body, { token })).toEqual(success)
  })

  test('has to be right, also where it is not needed', async () => {
    const before = await rowOfAlice()
    for (const minutes of [0, 10]) {
      site.now = NOW + minutes * MINUTE
      for (const old of ['wrong-Passw0rd', `${OLD} `, OLD.toUpperCase(), NEW]) {
        expect(await change(NEW, old)).toEqual(wrongOldPassword)
      }
    }
    expect(await rowOfAlice()).toEqual(before)
    expect(await site.get('/api/me', { token })).toMatchObject({ code: 200 })
  })

  test('costs one hash when it is wrong', async () => {
    expect(await change(NEW, 'wrong-Passw0rd')).toEqual(wrongOldPassword)
    expect(hashes).toHaveBeenCalledTimes(1)
  })

  test('may be wrong ten times in fifteen minutes', async () => {
    site.now = NOW + 10 * MINUTE
    const start = site.now
    for (let i = 0; i < 10; i++) {
      expect(await change(NEW, `wrong-Passw0rd ${i}`)).toEqual(wrongOldPassword)
    }
    hashes.mockClear()
    const response = await site.fetch('POST', '/api/me/update', {
      token,
      body: { username: 'alice', password: NEW, old_password: OLD },
    })
    expect(await response.json()).toEqual(tooMany)
    expect(response.headers.get('Retry-After')).toBe('900')
    expect(hashes).not.toHaveBeenCalled()
    site.now = start + 15 * MINUTE - 1
    expect(await change(NEW, OLD)).toEqual(tooMany)
    site.now = start + 15 * MINUTE
    expect(await change(NEW, OLD)).toEqual(success)
  })

  test('is hashed ten times when twenty wrong ones come at once', async () => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) => change(NEW, `wrong-Passw0rd ${i}`)),
    )
    expect(answers.filter((answer) => answer.code === 403)).toHaveLength(10)
    expect(answers.filter((answer) => answer.code === 429)).toHaveLength(10)
    expect(hashes).toHaveBeenCalledTimes(10)
  })

  test('makes the wrong ones before it forgotten', async () => {
    const poor = 'wrong-Passw0rd'
    for (let i = 0; i < 9; i++) expect(await change(NEW, poor)).toEqual(wrongOldPassword)
    expect(await change(NEW, OLD)).toEqual(success)
    token = await site.token('alice', NEW)
    for (let i = 0; i < 9; i++) expect(await change(OLD, poor)).toEqual(wrongOldPassword)
    expect(await change(OLD, NEW)).toEqual(success)
  })

  test('is not asked of a session that has ended', async () => {
    await site.db.delete(sessions)
    expect(await change(NEW, OLD)).toEqual({
      code: 401,
      message: 'token is invalidated',
      data: null,
    })
    expect(hashes).not.toHaveBeenCalled()
  })
})
