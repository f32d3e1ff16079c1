import { createHmac, hkdfSync } from 'node:crypto'
import * as fc from 'fast-check'
import { base64url } from 'jose'
import { describe, expect, test } from 'vitest'
import { sessions, users } from '../../schema/tables.ts'
import { randomBytes } from '../../src/core/deps.ts'
import { toHex } from '../../src/core/base/encoding.ts'
import { createKeyRing, hashName, parseSecretKeys } from '../../src/core/crypto/key-ring.ts'
import { signToken, verifyToken } from '../../src/core/access/token.ts'
import { openSeed, sealSeed } from '../../src/capabilities/two-factor/sealed.ts'
import { CheapSite } from '../support/cheap-site.ts'
import { loggedLines } from '../support/log.ts'
import { NOW, SECOND } from '../support/site.ts'
import { anyCharacter } from '../support/any-character.ts'

const signedIn = { code: 200, message: 'success', data: { token: expect.any(String) } }
const invalidated = { code: 401, message: 'token is invalidated', data: null }
const internalError = { code: 500, message: 'internal error', data: null }

const PASSWORD = 'alice-Passw0rd'
const OLDEST = 'O'.repeat(43)
const OLDER = 'P'.repeat(43)
const NEWEST = 'N'.repeat(43)

const siteWith = (...secrets: string[]) => new CheapSite({}, { SECRET_KEYS: secrets.join(',') })

const hex = (text: string) => new Uint8Array(Buffer.from(text, 'hex'))

describe('after a key was put in front', () => {
  test('old tokens and old seeds are good, and new ones are of the new key', async () => {
    const before = siteWith(OLDEST)
    const oldToken = await before.addSignedInUser()
    const secret = await before.enrol(oldToken)

    const after = siteWith(NEWEST, OLDER, OLDEST)
    expect(await after.get('/api/me', { token: oldToken })).toMatchObject({ code: 200 })
    const answer = await after.login('alice', PASSWORD, after.code(secret))
    expect(answer).toEqual(signedIn)
    const { kid } = JSON.parse(atob(answer.data.token.split('.')[0]))
    expect(kid).toBe((await createKeyRing(NEWEST)).current.id)

    const bob = await after.addUser('bob', { password: 'bob-Passw0rd' })
    await after.enrol(await after.token('bob', 'bob-Passw0rd'))
    const rows = await after.db.select().from(users)
    expect(rows.find((row) => row.id === bob)?.totpSeed).toMatch(new RegExp(`^${kid}\\.`))
  })

  test('a pending seed can be confirmed', async () => {
    const before = siteWith(OLDEST)
    const token = await before.addSignedInUser()
    const { data } = await before.post('/api/auth/2fa/generate', undefined, { token })
    const after = siteWith(NEWEST, OLDEST)
    const proof = { code: after.code(data.secret), secret: data.secret }
    expect(await after.post('/api/auth/2fa/verify', proof, { token })).toEqual({
      code: 200,
      message: 'success',
      data: null,
    })
  })

  test('recovery codes are good', async () => {
    const before = siteWith(OLDEST)
    const token = await before.addSignedInUser()
    const body = { otp_code: before.code(await before.enrol(token)) }
    const { data } = await before.post('/api/auth/2fa/recovery_codes', body, { token })
    const after = siteWith(NEWEST, OLDEST)
    expect(await after.login('alice', PASSWORD, data.recovery_codes[0])).toEqual(signedIn)
  })

  test('the order of the older ones does not matter', async () => {
    const old = await createKeyRing(OLDEST)
    const issuedAtSeconds = Math.floor(NOW / SECOND)
    const session = {
      sessionId: 'x',
      userId: 1,
      issuedAtSeconds,
      expiresAtSeconds: issuedAtSeconds + 9,
    }
    const token = await signToken(old, session)
    for (const secrets of [
      [OLDEST],
      [OLDEST, NEWEST],
      [NEWEST, OLDEST],
      [NEWEST, OLDER, OLDEST],
      [NEWEST, OLDEST, OLDER],
    ]) {
      const ring = await createKeyRing(secrets.join(', '))
      expect(await verifyToken(ring, token, NOW)).toMatchObject({ userId: 1, sessionId: 'x' })
    }
  })
})

describe('after a key was dropped', () => {
  test('its tokens are invalid, and the others are not', async () => {
    const [older, newer] = [siteWith(OLDEST), siteWith(NEWEST, OLDEST)]
    const oldToken = await older.addSignedInUser()
    const newToken = await newer.token('alice', PASSWORD)
    const dropped = siteWith(NEWEST)
    expect(await dropped.get('/api/me', { token: oldToken })).toEqual(invalidated)
    expect(await dropped.get('/api/me', { token: newToken })).toMatchObject({ code: 200 })
  })

  test('nobody gets in whose seed it sealed, and the log says why', async () => {
    const before = siteWith(OLDEST)
    const secret = await before.enrol(await before.addSignedInUser())
    await before.db.delete(sessions)
    const after = siteWith(NEWEST)
    const { id } = (await createKeyRing(OLDEST)).current
    const remedy = `no key ${id} in SECRET_KEYS opens the seed of user 3`
    const logged = loggedLines(remedy).length
    expect(await after.login('alice', PASSWORD, after.code(secret))).toEqual(internalError)
    expect(await after.login('alice', PASSWORD, '000000')).toEqual(internalError)
    expect(loggedLines(remedy)).toHaveLength(logged + 2)
    expect(await after.db.select().from(sessions)).toEqual([])
    expect(await after.login('alice', PASSWORD)).toEqual({
      code: 402,
      message: 'Invalid 2FA code',
      data: null,
    })
    expect(await before.login('alice', PASSWORD, before.code(secret))).toEqual(signedIn)
  })

  test('is missed by nobody who has signed in with a code since the newer one came', async () => {
    const before = siteWith(OLDEST)
    const secret = await before.enrol(await before.addSignedInUser())
    const rotated = siteWith(NEWEST, OLDEST)
    await rotated.token('alice', PASSWORD, rotated.code(secret))
    const after = siteWith(NEWEST)
    after.now += 30 * SECOND
    expect(await after.login('alice', PASSWORD, after.code(secret))).toMatchObject({ code: 200 })
  })

  test('takes the authenticator with it, and leaves the recovery codes', async () => {
    const before = siteWith(OLDEST)
    const token = await before.addSignedInUser()
    const secret = await before.enrol(token)
    const body = { otp_code: before.code(secret) }
    const { data } = await before.post('/api/auth/2fa/recovery_codes', body, { token })
    const after = siteWith(NEWEST)
    expect(await after.login('alice', PASSWORD, after.code(secret, 1))).toEqual(internalError)
    const [code, other] = data.recovery_codes
    const back = await after.token('alice', PASSWORD, code)
    expect(
      await after.post('/api/auth/2fa/disable', { otp_code: other }, { token: back }),
    ).toMatchObject({
      code: 200,
    })
  })
})

describe('parseSecretKeys', () => {
  const key = fc
    .uint8Array({ minLength: 32, maxLength: 64 })
    .map((bytes) => ({ bytes: new Uint8Array(bytes), text: base64url.encode(bytes) }))

  test('reads any text as keys or says in a sentence what to do', () => {
    const keyLike = fc.string({
      unit: fc.constantFrom(...Array.from('AZaz09-_,, =+/\n')),
      maxLength: 120,
    })
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: anyCharacter }), keyLike), (text) => {
        const parsed = parseSecretKeys(text)
        const isRight =
          typeof parsed === 'string'
            ? /^SECRET_KEYS.*`npm run secrets`/.test(parsed)
            : parsed.every((bytes) => bytes.length >= 32)
        expect(isRight).toBe(true)
      }),
      { numRuns: 1000 },
    )
  })

  test('never repeats what it was given', () => {
    const words = fc.string({
      unit: fc.constantFrom(...Array.from('bcdfghjklmnpqrtvwxz')),
      minLength: 8,
      maxLength: 40,
    })
    fc.assert(
      fc.property(words, (text) => {
        expect(String(parseSecretKeys(text))).not.toContain(text)
      }),
    )
  })

  test('reads every list of good keys, blanks around them included', () => {
    fc.assert(
      fc.property(fc.array(key, { minLength: 1, maxLength: 5 }), (keys) => {
        const expected = keys.map(({ bytes }) => bytes)
        for (const separator of [',', ', ', ' ,\n']) {
          const secrets = keys.map(({ text }) => text).join(separator)
          expect(parseSecretKeys(` ${secrets}\n`)).toEqual(expected)
        }
      }),
    )
  })

  test('reads nothing from a list with one poor key', () => {
    const poor = fc.uint8Array({ maxLength: 31 }).map((bytes) => base64url.encode(bytes))
    fc.assert(
      fc.property(fc.array(key, { maxLength: 3 }), poor, fc.nat(3), (keys, text, at) => {
        const secrets = keys.map((item) => item.text)
        secrets.splice(at, 0, text)
        expect(parseSecretKeys(secrets.join(','))).toEqual(expect.any(String))
      }),
    )
  })
})

describe('the keys of a ring', () => {
  const bytes = Uint8Array.from({ length: 32 }, (_, index) => index)
  const derive = (purpose: string, length: number) =>
    new Uint8Array(hkdfSync('sha256', bytes, '', `latchkey/${purpose}`, length))

  test('are told apart by id, and say nothing but that', async () => {
    const { current, find } = await createKeyRing(`${OLDEST},${OLDER},${NEWEST}`)
    const ids = await Promise.all(
      [OLDEST, OLDER, NEWEST].map(async (secret) => (await createKeyRing(secret)).current.id),
    )
    expect(new Set(ids).size).toBe(3)
    expect(ids[0]).toBe(current.id)
    for (const id of ids) expect(find(id)?.id).toBe(id)
    for (const id of ['', 'x', '__proto__', 'constructor']) expect(find(id)).toBeUndefined()
    for (const purpose of ['token', 'seal', 'name'] as const) {
      expect(current[purpose].extractable).toBe(false)
    }
  })

  test('are derived as RFC 5869 says, one for each purpose', async () => {
    const ring = await createKeyRing(base64url.encode(bytes))
    expect(ring.current.id).toBe(base64url.encode(derive('key id', 6)))
    const message = new TextEncoder().encode('message')
    for (const purpose of ['token', 'name'] as const) {
      const mac = await crypto.subtle.sign('HMAC', ring.current[purpose], message)
      const expected = createHmac('sha256', derive(purpose, 32)).update(message).digest('hex')
      expect(toHex(new Uint8Array(mac))).toBe(expected)
    }
    const sealed = await sealSeed({ randomBytes }, ring, bytes, 7)
    const box = base64url.decode(sealed.split('.')[1] ?? '')
    const aes = await crypto.subtle.importKey('raw', derive('seal', 32), 'AES-GCM', false, [
      'decrypt',
    ])
    const gcm = {
      name: 'AES-GCM',
      iv: box.slice(0, 12),
      additionalData: new TextEncoder().encode('totp/7'),
    }
    const opened = await crypto.subtle.decrypt(gcm, aes, box.slice(12))
    expect(new Uint8Array(opened)).toEqual(bytes)
    expect(await openSeed(ring, sealed, 7)).toEqual(bytes)
  })

  test.each([
    [
      'A.1',
      hex('0b'.repeat(22)),
      hex('000102030405060708090a0b0c'),
      hex('f0f1f2f3f4f5f6f7f8f9'),
      '3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865',
    ],
    [
      'A.3',
      hex('0b'.repeat(22)),
      hex(''),
      hex(''),
      '8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d9d201395faa4b61a96c8',
    ],
  ])('come from an HKDF that gives RFC 5869 appendix %s', async (_, secret, salt, info, okm) => {
    const root = await crypto.subtle.importKey('raw', secret, 'HKDF', false, ['deriveBits'])
    const hkdf = { name: 'HKDF', hash: 'SHA-256', salt, info }
    const bits = await crypto.subtle.deriveBits(hkdf, root, 42 * 8)
    expect(toHex(new Uint8Array(bits))).toBe(okm)
    expect(toHex(new Uint8Array(hkdfSync('sha256', secret, salt, info, 42)))).toBe(okm)
  })
})

describe('hashName', () => {
  test('gives one name one text of 22 characters, as long as the newest key stays', async () => {
    const ring = await createKeyRing(`${NEWEST},${OLDER}`)
    const hash = await hashName(ring, 'alice')
    expect(hash).toMatch(/^[\w-]{22}$/)
    expect(await hashName(await createKeyRing(NEWEST), 'alice')).toBe(hash)
    expect(await hashName(await createKeyRing(`${OLDER},${NEWEST}`), 'alice')).not.toBe(hash)
  })

  test('tells any two names apart', async () => {
    const ring = await createKeyRing(NEWEST)
    const names = ['alice', 'Alice', 'alice ', 'ALICE', 'é'.normalize('NFC'), 'é'.normalize('NFD')]
    const hashes = await Promise.all(names.map((name) => hashName(ring, name)))
    expect(new Set(hashes).size).toBe(names.length)
  })
})
