import { createHmac, hkdfSync } from 'node:crypto'
import { env } from 'cloudflare:workers'
import { eq } from 'drizzle-orm'
import * as fc from 'fast-check'
import { base64url, compactVerify, jwtVerify, SignJWT } from 'jose'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { sessions, users } from '../../schema/tables.ts'
import { Refusal } from '../../src/core/base/refusals.ts'
import type { KeyRing } from '../../src/core/crypto/key-ring.ts'
import { verifyToken } from '../../src/core/access/token.ts'
import { CheapSite } from '../support/cheap-site.ts'
import type { Envelope } from '../support/envelope.ts'
import { signInAlice } from '../support/signed-in.ts'
import { HOUR, NOW, SECOND } from '../support/site.ts'
import { anyCharacter } from '../support/any-character.ts'

const invalidated = { code: 401, message: 'token is invalidated', data: null }
const expired = { code: 401, message: 'token is expired', data: null }
const disabled = { code: 401, message: 'Current user is disabled, replace please', data: null }
const alice = {
  code: 200,
  message: 'success',
  data: {
    id: 3,
    username: 'alice',
    password: '',
    base_path: '/',
    role: 0,
    disabled: false,
    permission: 0,
    sso_id: '',
    otp: false,
  },
}
const loggedOut = { code: 200, message: 'success', data: null }

const BASE64URL = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
const NOW_SECONDS = Math.floor(NOW / 1000)

interface Parts {
  header: Record<string, unknown>
  claims: Record<string, unknown>
}

function encode(value: unknown): string {
  return base64url.encode(JSON.stringify(value))
}

function decode(part: string | undefined): Record<string, unknown> {
  return JSON.parse(new TextDecoder().decode(base64url.decode(part ?? '')))
}

function partsOf(token: string): Parts & { signed: string; signature: string } {
  const [header = '', claims = '', signature = ''] = token.split('.')
  return {
    header: decode(header),
    claims: decode(claims),
    signed: `${header}.${claims}`,
    signature,
  }
}

/** Signs whatever it is given with the key that the service itself would use. */
async function forge(ring: KeyRing, { header, claims }: Parts): Promise<string> {
  const signed = `${encode(header)}.${encode(claims)}`
  const mac = await crypto.subtle.sign('HMAC', ring.current.token, new TextEncoder().encode(signed))
  return `${signed}.${base64url.encode(new Uint8Array(mac))}`
}

let site: CheapSite
let ring: KeyRing
let token: string

/** What each of these tokens is told; asking leaves no trace in D1. */
async function answersTo(tokens: Record<string, string>): Promise<Record<string, Envelope>> {
  const before = await site.db.select().from(sessions)
  const answers: Record<string, Envelope> = {}
  for (const [name, asked] of Object.entries(tokens)) {
    answers[name] = await site.get('/api/me', { token: asked })
  }
  expect(await site.db.select().from(sessions)).toEqual(before)
  return answers
}

function each(tokens: Record<string, string>, answer: Envelope): Record<string, Envelope> {
  return Object.fromEntries(Object.keys(tokens).map((name) => [name, answer]))
}

/** Tokens that our own key has signed, each named after what makes it differ from the genuine one. */
async function forgeAll(variants: Partial<Parts>[]): Promise<Record<string, string>> {
  const { header, claims } = partsOf(token)
  const tokens: Record<string, string> = {}
  for (const variant of variants) {
    const name = JSON.stringify(variant, (_, value: unknown) => value ?? `${value}`)
    tokens[name] = await forge(ring, {
      header: { ...header, ...variant.header },
      claims: { ...claims, ...variant.claims },
    })
  }
  return tokens
}

const me = (asked: string, at = site) => at.get('/api/me', { token: asked })

beforeEach(async () => {
  site = new CheapSite()
  ring = await site.deps.keyRing()
  token = await signInAlice(site)
})

describe('a token', () => {
  test('is good bare, after Bearer in any case, and with blanks around', async () => {
    for (const scheme of ['', 'Bearer ', 'bearer ', 'BEARER ', 'bEaReR  \t ']) {
      expect(await me(`${scheme}${token}`)).toEqual(alice)
      expect(await me(` \t${scheme}${token}  `)).toEqual(alice)
    }
  })

  test('says who, until when and by which key, and nothing else', () => {
    const { header, claims } = partsOf(token)
    expect(header).toEqual({ alg: 'HS256', typ: 'JWT', kid: ring.current.id })
    expect(claims).toEqual({
      sub: '3',
      jti: expect.stringMatching(/^[\w-]{22}$/),
      aud: 'latchkey',
      iat: NOW_SECONDS,
      nbf: NOW_SECONDS,
      exp: NOW_SECONDS + 48 * 60 * 60,
      bookmark: expect.stringMatching(/^[\w-]{8}\.[\w-]{116}$/),
    })
  })

  test('is signed with HMAC-SHA-256 under a key derived with HKDF from the newest secret', () => {
    const [newest = ''] = env.SECRET_KEYS.split(',')
    const derive = (info: string, length: number) =>
      new Uint8Array(hkdfSync('sha256', base64url.decode(newest), '', info, length))
    const { signed, signature } = partsOf(token)
    const mac = createHmac('sha256', derive('latchkey/token', 32)).update(signed).digest()
    expect(signature).toBe(mac.toString('base64url'))
    expect(ring.current.id).toBe(base64url.encode(derive('latchkey/key id', 6)))
  })

  test('is good for 48 hours to the second', async () => {
    site.now = NOW + 48 * HOUR - SECOND
    expect(await me(token)).toEqual(alice)
    site.now = NOW + 48 * HOUR + SECOND
    expect(await me(token)).toEqual(expired)
  })

  test('that is remembered is checked for time and key each time', async () => {
    expect(await verifyToken(ring, token, NOW)).toEqual(await verifyToken(ring, token, NOW))
    const verify = (by: KeyRing, now: number) =>
      verifyToken(by, token, now).catch((error: unknown) => error)
    const end = Number(partsOf(token).claims['exp']) * SECOND
    expect(await verify(ring, end - 1)).toMatchObject({ userId: 3 })
    expect(await verify(ring, end)).toMatchObject({ message: 'token is expired' })
    expect(await verify(ring, NOW - HOUR)).toMatchObject({ message: 'token is invalidated' })
    const without: KeyRing = { ...ring, find: () => undefined }
    expect(await verify(without, NOW)).toMatchObject({ message: 'token is invalidated' })
    const changed = token.replace(/\.(.)([^.]+)$/, (_, first: string, rest: string) =>
      ['.', first === 'A' ? 'B' : 'A', rest].join(''),
    )
    expect(await verifyToken(ring, changed, NOW).catch(String)).toContain('token is invalidated')
  })

  test('is remembered for its signature, but no more than a hundred are', async () => {
    const { header, claims } = partsOf(token)
    const checks = vi.spyOn(crypto.subtle, 'verify')
    try {
      await verifyToken(ring, token, NOW)
      checks.mockClear()
      await verifyToken(ring, token, NOW)
      expect(checks).not.toHaveBeenCalled()
      for (let i = 0; i < 100; i++) {
        const other = await forge(ring, { header, claims: { ...claims, jti: `other-${i}` } })
        await verifyToken(ring, other, NOW)
      }
      checks.mockClear()
      await verifyToken(ring, token, NOW)
      expect(checks).toHaveBeenCalledOnce()
    } finally {
      checks.mockRestore()
    }
  })

  test('is good after a restart', async () => {
    expect(await me(token, new CheapSite())).toEqual(alice)
  })

  test('is not good before it was given', async () => {
    site.now = NOW - HOUR
    expect(await me(token)).toEqual(invalidated)
  })

  test('is ended by nothing that happens to another session', async () => {
    const other = await site.token('alice', 'alice-Passw0rd')
    expect(await site.get('/api/auth/logout', { token: other })).toEqual(loggedOut)
    expect(await me(token)).toEqual(alice)
    expect(await me(other)).toEqual(invalidated)
  })

  test('says that its user is disabled', async () => {
    await site.db.update(users).set({ disabled: true }).where(eq(users.username, 'alice'))
    expect(await me(token)).toEqual(disabled)
    expect(await site.post('/api/me/update', { username: 'x' }, { token })).toEqual(disabled)
  })

  test('is invalid once its user is deleted, also when the name comes back', async () => {
    await site.db.delete(users).where(eq(users.username, 'alice'))
    expect(await me(token)).toEqual(invalidated)
    await site.addUser('alice', { password: 'alice-Passw0rd' })
    expect(await me(token)).toEqual(invalidated)
  })
})

describe('after SECRET_KEYS changed', () => {
  const [older, newer] = ['O'.repeat(43), 'N'.repeat(43)]

  test('a token of an older key is good until that key is dropped', async () => {
    const before = new CheapSite({}, { SECRET_KEYS: older })
    const oldToken = await before.token('alice', 'alice-Passw0rd')
    const rotated = new CheapSite({}, { SECRET_KEYS: `${newer},${older}` })
    expect(await me(oldToken, rotated)).toEqual(alice)
    const newToken = await rotated.token('alice', 'alice-Passw0rd')
    expect(partsOf(newToken).header['kid']).not.toBe(partsOf(oldToken).header['kid'])

    const dropped = new CheapSite({}, { SECRET_KEYS: newer })
    expect(await me(newToken, dropped)).toEqual(alice)
    expect(await dropped.get('/api/me', { token: oldToken })).toEqual(invalidated)
  })
})

describe('one answer meets', () => {
  test('whatever is no token', async () => {
    const { signed, signature } = partsOf(token)
    const tokens = {
      word: 'x',
      dots: '..',
      letters: 'a.b.c',
      null: 'null',
      json: '{"alg":"none"}',
      scheme: 'Bearer',
      'unknown scheme': `Token ${token}`,
      basic: 'Basic YWxpY2U6YWxpY2UtUGFzc3cwcmQ=',
      'two schemes': `Bearer Bearer ${token}`,
      'two tokens': `${token} ${token}`,
      'two tokens in one list': `${token}, ${token}`,
      long: 'x'.repeat(10_000),
      'two parts': signed,
      'four parts': `${token}.${signature}`,
      'five parts': `${token}.${signature}.${signature}`,
      'empty claims': `${signed.split('.')[0]}..${signature}`,
      padded: `${token}=`,
      'padded inside': `${signed}=.${signature}`,
      'a blank inside': `${signed}. ${signature}`,
      'no JSON': `${base64url.encode('{')}.${base64url.encode('{')}.${signature}`,
      'an array': `${encode([])}.${encode([])}.${signature}`,
    }
    expect(await answersTo(tokens)).toEqual(each(tokens, invalidated))
  })

  test('another algorithm', async () => {
    const { header, claims, signature } = partsOf(token)
    const tokens: Record<string, string> = {}
    const none = ['none', 'None', 'NONE', '', 'null']
    for (const alg of [...none, 'hs256', 'HS384', 'HS512', 'RS256', 'ES256']) {
      const signed = `${encode({ ...header, alg })}.${encode(claims)}`
      tokens[`${alg} unsigned`] = `${signed}.`
      tokens[`${alg} with the old signature`] = `${signed}.${signature}`
      tokens[`${alg} signed by our key`] = await forge(ring, { header: { ...header, alg }, claims })
    }
    const [newest = ''] = env.SECRET_KEYS.split(',')
    tokens['HS512 under the secret'] = await new SignJWT(claims)
      .setProtectedHeader({ ...header, alg: 'HS512' })
      .sign(new Uint8Array([...base64url.decode(newest), ...base64url.decode(newest)]))
    tokens['HS256 under the secret itself'] = await new SignJWT(claims)
      .setProtectedHeader({ ...header, alg: 'HS256' })
      .sign(base64url.decode(newest))
    expect(await answersTo(tokens)).toEqual(each(tokens, invalidated))
  })

  test('another key', async () => {
    const { signed } = partsOf(token)
    const tokens = await forgeAll(
      [undefined, null, '', 'AAAAAAAA', '../x', '__proto__', 'constructor', 0].map((kid) => ({
        header: { kid },
      })),
    )
    for (const key of ['', 'secret', 'latchkey', ring.current.id]) {
      const mac = createHmac('sha256', key).update(signed).digest('base64url')
      tokens[`key "${key}"`] = `${signed}.${mac}`
    }
    expect(await answersTo(tokens)).toEqual(each(tokens, invalidated))
  })

  test('a header that asks for more than we know', async () => {
    const tokens = await forgeAll([
      { header: { crit: ['exp'], exp: 1 } },
      { header: { crit: ['b64'], b64: false } },
      { header: { crit: ['latchkey'], latchkey: 1 } },
      { header: { crit: [] } },
      { header: { crit: 'exp' } },
    ])
    expect(await answersTo(tokens)).toEqual(each(tokens, invalidated))
  })

  test('a signature that is missing, cut, or changed in any character', async () => {
    const { signed, signature } = partsOf(token)
    const tokens: Record<string, string> = {
      missing: `${signed}.`,
      cut: token.slice(0, -1),
      longer: `${token}A`,
      'of another token': `${signed}.${partsOf(await site.token('alice', 'alice-Passw0rd')).signature}`,
    }
    for (let at = 0; at < signature.length; at++) {
      const value = BASE64URL.indexOf(signature.charAt(at))
      const changed = BASE64URL.charAt(value ^ 32)
      tokens[`character ${at}`] =
        `${signed}.${signature.slice(0, at)}${changed}${signature.slice(at + 1)}`
    }
    expect(await answersTo(tokens)).toEqual(each(tokens, invalidated))
  })

  test('each of the three other spellings of the same signature', async () => {
    const { signed, signature } = partsOf(token)
    const value = BASE64URL.indexOf(signature.slice(-1))
    expect(value % 4).toBe(0)
    const tokens: Record<string, string> = {}
    for (const unused of [1, 2, 3]) {
      tokens[`unused bits ${unused}`] =
        `${signed}.${signature.slice(0, -1)}${BASE64URL.charAt(value + unused)}`
    }
    expect(await answersTo(tokens)).toEqual(each(tokens, invalidated))
  })

  test('claims that are missing, of a wrong type or of somebody else', async () => {
    const names = ['sub', 'jti', 'iat', 'nbf', 'exp', 'aud']
    const changes: Record<string, unknown>[] = [
      ...names.map((name) => ({ [name]: undefined })),
      ...names.map((name) => ({ [name]: null })),
      ...['iat', 'nbf', 'exp'].map((name) => ({ [name]: 'tomorrow' })),
      ...['iat', 'nbf', 'exp'].map((name) => ({ [name]: [] })),
      { sub: 'x' },
      { sub: '1.5' },
      { sub: '' },
      { sub: '-1' },
      { sub: '1e400' },
      { sub: 'NaN' },
      { sub: '9'.repeat(30) },
      { sub: "3' or 1=1" },
      { sub: '1' },
      { sub: '4' },
      { jti: '' },
      { jti: 'A'.repeat(22) },
      { jti: "' or 1=1 --" },
      { aud: 'other' },
      { aud: [] },
      { nbf: NOW_SECONDS + 60 * 60 },
      { nbf: 1e300 },
    ]
    const tokens = await forgeAll(changes.map((claims) => ({ claims })))
    expect(await answersTo(tokens)).toEqual(each(tokens, invalidated))
  })

  test('a session that nobody has', async () => {
    await site.db.delete(sessions)
    expect(await me(token)).toEqual(invalidated)
  })

  test('a token that ran out and is wrong besides', async () => {
    const exp = NOW_SECONDS - 1
    const wrong = await forgeAll([
      { claims: { exp }, header: { kid: 'x' } },
      { claims: { exp, aud: 'other' } },
      { claims: { exp, jti: undefined } },
    ])
    const genuine = await forgeAll([{ claims: { exp } }])
    for (const text of Object.values(genuine)) {
      wrong['by nobody'] = `${partsOf(text).signed}.${'A'.repeat(43)}`
    }
    expect(await answersTo(wrong)).toEqual(each(wrong, invalidated))
    expect(await answersTo(genuine)).toEqual(each(genuine, expired))
  })

  test('a token that claims to outlive its session', async () => {
    const { header, claims } = partsOf(token)
    const endless = await forge(ring, { header, claims: { ...claims, exp: 1e300 } })
    site.now = NOW + 48 * HOUR + SECOND
    expect(await me(endless)).toEqual(invalidated)
  })
})

describe('GET /api/auth/logout', () => {
  test('ends the session of its token, and that one only', async () => {
    const other = await site.token('alice', 'alice-Passw0rd')
    expect(await site.get('/api/auth/logout', { token: `Bearer ${token}` })).toEqual(loggedOut)
    expect(await me(token)).toEqual(invalidated)
    expect(await me(other)).toEqual(alice)
    expect(await site.db.select().from(sessions)).toHaveLength(1)
  })

  test('is success for a dead token, garbage and none at all', async () => {
    await site.get('/api/auth/logout', { token })
    for (const dead of [token, 'garbage', 'a.b.c', '', ' ', 'Bearer']) {
      expect(await site.get('/api/auth/logout', { token: dead }), dead).toEqual(loggedOut)
    }
    expect(await site.get('/api/auth/logout')).toEqual(loggedOut)
  })

  test('ends no session for a token that is not genuine', async () => {
    const { header, claims, signed } = partsOf(token)
    const strangers = [
      `${signed}.${'A'.repeat(43)}`,
      `${encode({ ...header, alg: 'none' })}.${encode(claims)}.`,
      await forge(ring, { header, claims: { ...claims, sub: '1' } }),
    ]
    for (const stranger of strangers) {
      expect(await site.get('/api/auth/logout', { token: stranger })).toEqual(loggedOut)
    }
    expect(await me(token)).toEqual(alice)
  })

  test('ends the session of a disabled user', async () => {
    await site.db.update(users).set({ disabled: true })
    expect(await site.get('/api/auth/logout', { token })).toEqual(loggedOut)
    expect(await site.db.select().from(sessions)).toEqual([])
  })
})

describe('verifyToken', () => {
  const base64urlCharacter = fc.constantFrom(...Array.from(BASE64URL))
  const json = fc.oneof(fc.jsonValue(), fc.dictionary(fc.string(), fc.jsonValue())).map(encode)
  const part = fc.oneof(json, fc.string({ unit: base64urlCharacter }))
  const signature = fc
    .string({ unit: base64urlCharacter, minLength: 42, maxLength: 42 })
    .map((text) => `${text}A`)

  test('throws nothing but a refusal, whatever the text', async () => {
    const anything = fc.oneof(
      fc.string({ unit: anyCharacter }),
      fc.tuple(part, part, signature).map((parts) => parts.join('.')),
    )
    await fc.assert(
      fc.asyncProperty(anything, async (text) => {
        const refusal = await verifyToken(ring, text, NOW).catch((error: unknown) => error)
        expect(refusal).toBeInstanceOf(Refusal)
        expect(refusal).toMatchObject({ message: 'token is invalidated' })
      }),
      { numRuns: 500 },
    )
  })

  test('throws nothing but a refusal, whatever our own key has signed', async () => {
    await fc.assert(
      fc.asyncProperty(fc.jsonValue(), fc.jsonValue(), async (extra, claims) => {
        const genuine = partsOf(token)
        const header = { ...genuine.header, extra }
        const forged = await forge(ring, { header, claims: { ...genuine.claims, sub: undefined } })
        const odd = `${encode(header)}.${encode(claims)}`
        for (const text of [forged, `${odd}.${genuine.signature}`]) {
          const refusal = await verifyToken(ring, text, NOW).catch((error: unknown) => error)
          expect(refusal).toBeInstanceOf(Refusal)
        }
      }),
    )
  })
})

/** Bytes that count up. */
function count(from: number, length: number): Uint8Array<ArrayBuffer> {
  return Uint8Array.from({ length }, (_, index) => from + index)
}

describe('what tokens are made of', () => {
  test('is the HS256 of RFC 7515 appendix A.1', async () => {
    const example =
      'eyJ0eXAiOiJKV1QiLA0KICJhbGciOiJIUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ.dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk'
    const key = base64url.decode(
      'AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ-EstJQLr_T-1qS0gZH75aKtMN3Yj0iPS4hcgUuTwjAzZr1Z9CAow',
    )
    const { payload, protectedHeader } = await compactVerify(example, key)
    expect(protectedHeader).toEqual({ typ: 'JWT', alg: 'HS256' })
    expect(JSON.parse(new TextDecoder().decode(payload))).toEqual({
      iss: 'joe',
      exp: 1_300_819_380,
      'http://example.com/is_root': true,
    })
    const tampered = `${example.slice(0, -2)}AA`
    await expect(jwtVerify(tampered, key)).rejects.toThrow('signature verification failed')
  })

  test('is the HKDF of RFC 5869 appendix A.1', async () => {
    const secret = new Uint8Array(22).fill(0x0b)
    const root = await crypto.subtle.importKey('raw', secret, 'HKDF', false, ['deriveBits'])
    const [salt, info] = [count(0, 13), count(0xf0, 10)]
    const okm = await crypto.subtle.deriveBits(
      { name: 'HKDF', hash: 'SHA-256', salt, info },
      root,
      42 * 8,
    )
    expect(Buffer.from(okm).toString('hex')).toBe(
      '3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865',
    )
  })
})
