import { eq } from 'drizzle-orm'
import { decode } from 'fast-png'
import * as fc from 'fast-check'
import jsQR from 'jsqr'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { sessions, settings, users } from '../../schema/tables.ts'
import { createKeyRing, type KeyRing } from '../../src/core/crypto/key-ring.ts'
import { fromBase32, toBase32 } from '../../src/core/base/base32.ts'
import { openSeed, sealSeed } from '../../src/capabilities/two-factor/sealed.ts'
import { codeAt, findTimeStep, timeStepAt } from '../../src/capabilities/two-factor/totp.ts'
import { CheapSite } from '../support/cheap-site.ts'
import { signInAlice } from '../support/signed-in.ts'
import { MINUTE, NOW, SECOND } from '../support/site.ts'
import { anyCharacter } from '../support/any-character.ts'

const success = { code: 200, message: 'success', data: null }
const wrongCode = { code: 400, message: 'Invalid 2FA code', data: null }
const alreadyOn = { code: 400, message: '2FA is already enabled, disable it first', data: null }
const guestRefused = { code: 403, message: 'Guest user can not generate 2FA code', data: null }
const guestDisabled = { code: 401, message: 'Guest user is disabled, login please', data: null }

const QUIET_ZONE_MODULES = 4
const FINDER_MODULES = 7

let site: CheapSite
let token: string

beforeEach(async () => {
  site = new CheapSite()
  token = await signInAlice(site)
})

const generate = (call = token) => site.post('/api/auth/2fa/generate', undefined, { token: call })

const verify = (secret: string, code = site.code(secret), call = token) =>
  site.post('/api/auth/2fa/verify', { code, secret }, { token: call })

/** The picture behind a `data:` address, which has one bit a pixel. */
function pixelsOf(qr: string) {
  const prefix = 'data:image/png;base64,'
  expect(qr.slice(0, prefix.length)).toBe(prefix)
  const { data, width, height } = decode(Buffer.from(qr.slice(prefix.length), 'base64'), {
    checkCrc: true,
  })
  const rowBytes = Math.ceil(width / 8)
  const isDark = (x: number, y: number) =>
    (((data[y * rowBytes + (x >> 3)] ?? 0) << (x & 7)) & 0x80) === 0
  return { width, height, isDark }
}

/** What a phone reads. */
function scan(qr: string): string | undefined {
  const { width, height, isDark } = pixelsOf(qr)
  const rgba = new Uint8ClampedArray(width * height * 4)
  for (let index = 0; index < width * height; index++) {
    const grey = isDark(index % width, Math.floor(index / width)) ? 0 : 255
    rgba.set([grey, grey, grey, 255], index * 4)
  }
  return jsQR(rgba, width, height)?.data
}

/** What `GET /api/me` says of two-step verification. */
const otp = async () => (await site.get('/api/me', { token })).data.otp

describe('POST /api/auth/2fa/generate', () => {
  test('gives a secret of 32 base32 characters, another one each time', async () => {
    const [one, other] = [await generate(), await generate()]
    expect(one).toEqual({
      code: 200,
      message: 'success',
      data: {
        qr: expect.stringMatching(/^data:image\/png;base64,[\w+/]+=*$/),
        secret: expect.stringMatching(/^[A-Z2-7]{32}$/),
      },
    })
    expect(other.data.secret).not.toBe(one.data.secret)
  })

  test('draws a QR code that a phone reads as the otpauth address', async () => {
    const { qr, secret } = (await generate()).data
    expect(scan(qr)).toBe(
      `otpauth://totp/Latchkey:alice?secret=${secret}&issuer=Latchkey&algorithm=SHA1&digits=6&period=30`,
    )
  })

  test('draws it at least 256 pixels wide, with four light modules around', async () => {
    const { width, height, isDark } = pixelsOf((await generate()).data.qr)
    expect(width).toBeGreaterThanOrEqual(256)
    expect(height).toBe(width)
    const dark = Array.from({ length: width }, (_, x) => x).filter((x) =>
      Array.from({ length: height }, (_, y) => y).some((y) => isDark(x, y)),
    )
    const [left = 0] = dark
    const right = dark.at(-1) ?? width
    // The finder pattern in the corner begins with a line of seven dark modules.
    let finderEnd = left
    while (isDark(finderEnd, left)) finderEnd++
    const quietZone = ((finderEnd - left) / FINDER_MODULES) * QUIET_ZONE_MODULES
    expect(left).toBe(quietZone)
    expect(width - 1 - right).toBe(quietZone)
    for (let x = 0; x < width; x++) {
      for (let y = 0; y < quietZone; y++) {
        expect(isDark(x, y) || isDark(x, height - 1 - y)).toBe(false)
      }
    }
  })

  test.each([
    ['ユーザー', '%E3%83%A6%E3%83%BC%E3%82%B6%E3%83%BC'],
    ['a b', 'a%20b'],
    [':/?#%&=+', '%3A%2F%3F%23%25%26%3D%2B'],
    ['alice@example.org', 'alice%40example.org'],
    ['🗝️', '%F0%9F%97%9D%EF%B8%8F'],
    ['"><svg onload=x>', '%22%3E%3Csvg%20onload%3Dx%3E'],
  ])('names the user %s in the address', async (username, label) => {
    await site.addUser(username, { password: 'x' })
    const { qr, secret } = (await generate(await site.token(username, 'x'))).data
    expect(scan(qr)).toBe(
      `otpauth://totp/Latchkey:${label}?secret=${secret}&issuer=Latchkey&algorithm=SHA1&digits=6&period=30`,
    )
  })

  test('names the site by its title', async () => {
    await site.db.insert(settings).values({ key: 'site_title', value: 'Meine Dateien & mehr' })
    const { qr } = (await generate()).data
    expect(scan(qr)).toContain('totp/Meine%20Dateien%20%26%20mehr:alice?')
    expect(scan(qr)).toContain('&issuer=Meine%20Dateien%20%26%20mehr&')
  })

  test('fits the longest names and titles', async () => {
    await site.db.insert(settings).values({ key: 'site_title', value: '🗝'.repeat(500) })
    for (const username of ['漢'.repeat(255), '🗝'.repeat(127), '%'.repeat(255)]) {
      await site.addUser(username, { password: 'x' })
      const { qr, secret } = (await generate(await site.token(username, 'x'))).data
      const uri = new URL(scan(qr) ?? '')
      expect(uri.searchParams.get('secret')).toBe(secret)
      expect(decodeURIComponent(uri.pathname)).toContain(`:${username.slice(0, 40)}`)
    }
  })

  test('changes nothing for the next sign-in before a code has come back', async () => {
    await generate()
    expect(await site.login('alice', 'alice-Passw0rd')).toMatchObject({ code: 200 })
    expect((await site.get('/api/me', { token })).data.otp).toBe(false)
  })

  test('keeps the secret sealed, pending or in force', async () => {
    const { secret } = (await generate()).data
    const seed = Buffer.from(fromBase32(secret) ?? [])
    const spellings = [
      secret,
      ...(['hex', 'base64', 'base64url'] as const).map((as) => seed.toString(as)),
    ]
    const expectSealed = async () => {
      const stored = [await site.db.select().from(users), await site.db.select().from(sessions)]
      const rows = JSON.stringify(stored).toLowerCase()
      for (const spelling of spellings) expect(rows).not.toContain(spelling.toLowerCase())
    }
    await expectSealed()
    expect(await verify(secret)).toEqual(success)
    await expectSealed()
  })

  test('refuses to replace an authenticator that is on', async () => {
    const secret = await site.enrol(token)
    expect(await generate()).toEqual(alreadyOn)
    expect(await site.login('alice', 'alice-Passw0rd', site.code(secret))).toMatchObject({
      code: 200,
    })
  })

  test('refuses the guest', async () => {
    expect(await generate('')).toEqual(guestDisabled)
    await site.db.update(users).set({ disabled: false })
    expect(await generate('')).toEqual(guestRefused)
  })
})

describe('POST /api/auth/2fa/verify', () => {
  test('switches two-step verification on', async () => {
    const { secret } = (await generate()).data
    expect(await verify(secret)).toEqual(success)
    expect(await otp()).toBe(true)
    expect(await site.login('alice', 'alice-Passw0rd')).toEqual({
      code: 402,
      message: 'Invalid 2FA code',
      data: null,
    })
  })

  test('takes a secret in lower case, and blanks around secret and code', async () => {
    const { secret } = (await generate()).data
    const code = ` \t${site.code(secret)}\n`
    expect(await verify(` ${secret.toLowerCase()} `, code)).toEqual(success)
    expect(await otp()).toBe(true)
  })

  test('takes one step of drift either way, and no more', async () => {
    const { secret } = (await generate()).data
    for (const steps of [-2, 2, 100]) {
      expect(await verify(secret, site.code(secret, steps)), `${steps}`).toEqual(wrongCode)
    }
    expect(await verify(secret, site.code(secret, -1))).toEqual(success)
  })

  test('refuses a wrong code', async () => {
    const { secret } = (await generate()).data
    const right = site.code(secret)
    const wrong = String((Number(right) + 1) % 1_000_000).padStart(6, '0')
    const fullWidth = right.replace(/\d/g, (digit) =>
      String.fromCharCode(digit.charCodeAt(0) + 0xfee0),
    )
    for (const code of [
      wrong,
      right.slice(1),
      `0${right}`,
      `${right}0`,
      '1e5',
      'abcdef',
      fullWidth,
    ]) {
      expect(await verify(secret, code), code).toEqual(wrongCode)
    }
    expect(await otp()).toBe(false)
  })

  test('refuses a secret that is not the one last given', async () => {
    const chosen = 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP'
    expect(await verify(chosen), 'before any was given').toEqual(wrongCode)
    const { secret: first } = (await generate()).data
    const { secret: second } = (await generate()).data
    expect(await verify(first), 'given before the last').toEqual(wrongCode)
    expect(await verify(chosen), 'chosen by the client').toEqual(wrongCode)
    for (const text of ['x', '0189', `${second}A`, second.slice(0, 8), `${second}!`, ' ']) {
      expect(await verify(text, site.code(second)), text).toEqual(wrongCode)
    }
    expect(await otp()).toBe(false)
    expect(await verify(second)).toEqual(success)
  })

  test('takes the secret of its own session, however many others ask for one', async () => {
    const stolen = await site.token('alice', 'alice-Passw0rd')
    site.now = NOW + 11 * MINUTE
    const owner = await site.token('alice', 'alice-Passw0rd')
    const { secret } = (await generate(owner)).data
    for (let n = 0; n < 3; n++) {
      const { secret: other } = (await generate(stolen)).data
      expect(other).not.toBe(secret)
      expect(await verify(other, site.code(other), owner), 'of another session').toEqual(wrongCode)
    }
    expect(await verify(secret, site.code(secret), owner)).toEqual(success)
  })

  test("refuses the secret of another session, also the owner's", async () => {
    const other = await site.token('alice', 'alice-Passw0rd')
    const { secret } = (await generate()).data
    expect(await verify(secret, site.code(secret), other)).toEqual(wrongCode)
    await generate(other)
    expect(await verify(secret, site.code(secret), other)).toEqual(wrongCode)
    expect(await verify(secret)).toEqual(success)
  })

  test('leaves no pending secret that a later session can confirm', async () => {
    const other = await site.token('alice', 'alice-Passw0rd')
    const { secret: pending } = (await generate(other)).data
    const { secret } = (await generate()).data
    expect(await verify(secret)).toEqual(success)
    expect(await verify(pending, site.code(pending), other)).toMatchObject({ code: 401 })
    const rows = await site.db.select().from(sessions)
    expect(rows.map((row) => row.pendingTotpSeed)).toEqual([null])
  })

  test("refuses another user's secret", async () => {
    await site.addUser('bob', { password: 'bob-Passw0rd' })
    const bob = await site.token('bob', 'bob-Passw0rd')
    const { secret: secretOfBob } = (await generate(bob)).data
    expect(await verify(secretOfBob)).toEqual(wrongCode)
    await generate()
    expect(await verify(secretOfBob)).toEqual(wrongCode)
    expect(await verify(secretOfBob, site.code(secretOfBob), bob)).toEqual(success)
    expect(await otp()).toBe(false)
  })

  test('takes a secret for ten minutes', async () => {
    const { secret } = (await generate()).data
    site.now = NOW + 10 * MINUTE
    await site.post('/api/me/confirm', { password: 'alice-Passw0rd' }, { token })
    expect(await verify(secret)).toEqual(wrongCode)
    site.now = NOW + 10 * MINUTE - SECOND
    expect(await verify(secret)).toEqual(success)
  })

  test('takes a secret once', async () => {
    const { secret } = (await generate()).data
    const answers = await Promise.all(Array.from({ length: 5 }, () => verify(secret)))
    expect(answers.filter((answer) => answer.code === 200)).toEqual([success])
    expect(answers.filter((answer) => answer.message === wrongCode.message)).toHaveLength(4)
    expect(await verify(secret)).toEqual(wrongCode)
  })

  test('leaves the code that confirmed for one sign-in', async () => {
    const { secret } = (await generate()).data
    const code = site.code(secret)
    expect(await verify(secret, code)).toEqual(success)
    expect(await site.login('alice', 'alice-Passw0rd', code)).toMatchObject({ code: 200 })
    expect(await site.login('alice', 'alice-Passw0rd', code)).toMatchObject({ code: 402 })
  })

  test('refuses the guest', async () => {
    const { secret } = (await generate()).data
    expect(await verify(secret, site.code(secret), '')).toEqual(guestDisabled)
    await site.db.update(users).set({ disabled: false })
    expect(await verify(secret, site.code(secret), '')).toEqual(guestRefused)
  })

  test('does not open a seed that was copied from another user', async () => {
    const { secret } = (await generate()).data
    const [ofAlice] = await site.db.select().from(sessions)
    const id = await site.addUser('mallory', { password: 'x' })
    const mallory = await site.token('mallory', 'x')
    const { pendingTotpSeed = '', pendingTotpExpiresAt = 0 } = ofAlice ?? {}
    await site.db
      .update(sessions)
      .set({ pendingTotpSeed, pendingTotpExpiresAt })
      .where(eq(sessions.userId, id))
    const log = vi.spyOn(console, 'error').mockReturnValue()
    expect(await verify(secret, site.code(secret), mallory)).toEqual({
      code: 500,
      message: 'internal error',
      data: null,
    })
    log.mockRestore()
    expect((await site.get('/api/me', { token: mallory })).data.otp).toBe(false)
  })
})

describe('codeAt', () => {
  const seed = new TextEncoder().encode('12345678901234567890')

  test('gives the codes of RFC 4226 appendix D', async () => {
    const codes = await Promise.all(Array.from({ length: 10 }, (_, count) => codeAt(seed, count)))
    expect(codes).toEqual([
      '755224',
      '287082',
      '359152',
      '969429',
      '338314',
      '254676',
      '287922',
      '162583',
      '399871',
      '520489',
    ])
  })

  test.each([
    [59, '94287082'],
    [1_111_111_109, '07081804'],
    [1_111_111_111, '14050471'],
    [1_234_567_890, '89005924'],
    [2_000_000_000, '69279037'],
    [20_000_000_000, '65353130'],
  ])('gives the last six digits of RFC 6238 appendix B at second %i', async (seconds, digits) => {
    const [now, code] = [seconds * SECOND, digits.slice(-6)]
    expect(await codeAt(seed, timeStepAt(now))).toBe(code)
    expect(await findTimeStep(seed, code, now)).toBe(Math.floor(seconds / 30))
  })
})

describe('base32', () => {
  test.each([
    ['', ''],
    ['f', 'MY'],
    ['fo', 'MZXQ'],
    ['foo', 'MZXW6'],
    ['foob', 'MZXW6YQ'],
    ['fooba', 'MZXW6YTB'],
    ['foobar', 'MZXW6YTBOI'],
  ])('writes and reads "%s" as RFC 4648 section 10 does, without padding', (text, base32) => {
    const bytes = new TextEncoder().encode(text)
    expect(toBase32(bytes)).toBe(base32)
    expect(fromBase32(base32)).toEqual(bytes)
    const padded = base32.padEnd(Math.ceil(base32.length / 8) * 8, '=')
    expect(fromBase32(padded.toLowerCase())).toEqual(bytes)
  })

  test('reads what it wrote', () => {
    fc.assert(
      fc.property(fc.uint8Array(), (bytes) => {
        expect(fromBase32(toBase32(bytes))).toEqual(new Uint8Array(bytes))
      }),
    )
  })

  test('reads nothing that it would not have written', () => {
    const base32Like = fc.string({
      unit: fc.constantFrom(...Array.from('ABCXYZabcxyz234567=018 -ı')),
    })
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: anyCharacter }), base32Like), (text) => {
        const canonical = text.toUpperCase().replace(/=+$/, '')
        const bytes = fromBase32(text)
        expect(bytes === undefined || toBase32(bytes) === canonical).toBe(true)
      }),
      { numRuns: 500 },
    )
    for (const text of ['A', 'MZX', 'MZ', '0', '1', '8', 'M Y', 'MY=A']) {
      expect(fromBase32(text), text).toBeUndefined()
    }
  })
})

describe('a sealed seed', () => {
  const seed = Uint8Array.from({ length: 20 }, (_, index) => index)
  let ring: KeyRing
  let sealed: string

  beforeEach(async () => {
    ring = await createKeyRing('S'.repeat(43))
    sealed = await sealSeed(site.deps, ring, seed, 3)
  })

  test('opens for its user, also after a newer key was put in front', async () => {
    expect(await openSeed(ring, sealed, 3)).toEqual(seed)
    const rotated = await createKeyRing(`${'N'.repeat(43)},${'S'.repeat(43)}`)
    expect(await openSeed(rotated, sealed, 3)).toEqual(seed)
  })

  test('is never sealed the same way twice', async () => {
    expect(await sealSeed(site.deps, ring, seed, 3)).not.toBe(sealed)
  })

  test('opens for no other user and with no other key', async () => {
    await expect(openSeed(ring, sealed, 4)).rejects.toBeInstanceOf(Error)
    const other = await createKeyRing('N'.repeat(43))
    await expect(openSeed(other, sealed, 3)).rejects.toThrow(/in SECRET_KEYS/)
    const [id, box] = sealed.split('.')
    expect(id).toBe(ring.current.id)
    const renamed = `${other.current.id}.${box}`
    await expect(openSeed(other, renamed, 3)).rejects.toBeInstanceOf(Error)
  })

  test('opens no more once any bit of it is flipped or any byte is cut', async () => {
    const [id = '', box = ''] = sealed.split('.')
    const bytes = Buffer.from(box, 'base64url')
    await fc.assert(
      fc.asyncProperty(fc.nat(bytes.length * 8 - 1), async (bit) => {
        const flipped = Buffer.from(bytes)
        flipped.writeUInt8(flipped.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3)
        const altered = `${id}.${flipped.toString('base64url')}`
        await expect(openSeed(ring, altered, 3)).rejects.toBeInstanceOf(Error)
      }),
    )
    for (let length = 0; length < bytes.length; length++) {
      const cut = `${id}.${bytes.subarray(0, length).toString('base64url')}`
      await expect(openSeed(ring, cut, 3), `${length} bytes`).rejects.toBeInstanceOf(Error)
    }
  })

  test('is no text that somebody made up', async () => {
    const anything = fc.oneof(
      fc.string({ unit: anyCharacter }),
      fc.string().map((box) => `${ring.current.id}.${box}`),
      fc.uint8Array().map((box) => `${ring.current.id}.${Buffer.from(box).toString('base64url')}`),
    )
    await fc.assert(
      fc.asyncProperty(anything, async (text) => {
        await expect(openSeed(ring, text, 3)).rejects.toBeInstanceOf(Error)
      }),
    )
  })
})
