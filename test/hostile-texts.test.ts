import { describe, expect, test } from 'vitest'
import { acceptedLanguage } from '../src/web/kit/language.ts'
import { describeUserAgent } from '../src/web/kit/user-agent.ts'
import { readParameters } from '../src/capabilities/openid/parameters.ts'
import { fromBase32, fromLooseBase32 } from '../src/core/base/base32.ts'
import { CheapSite } from './support/cheap-site.ts'

/** With quadratic work, a text of this length takes minutes. */
const LONG = 1_000_000
/** With quadratic work, so many names take half a minute, and otherwise half a second. */
const MANY = 150_000

describe('a long text that is made to take long', () => {
  test('names no language', () => {
    expect(acceptedLanguage(`zh${' '.repeat(LONG)}x`)).toBe('en')
    expect(acceptedLanguage(`zh;${' '.repeat(LONG)}q=0.5${' '.repeat(LONG)}`)).toBe('zh')
    expect(acceptedLanguage(`${';'.repeat(LONG)},zh`)).toBe('zh')
    expect(acceptedLanguage(`${' ,'.repeat(LONG)}zh`)).toBe('zh')
  })

  test('is no base32', () => {
    for (const text of [`${'='.repeat(LONG)}1`, `A${'='.repeat(LONG)}A`]) {
      expect(fromBase32(text)).toBeUndefined()
      expect(fromLooseBase32(text)).toBeUndefined()
    }
    expect(fromBase32(`ME${'='.repeat(LONG)}`)).toEqual(new TextEncoder().encode('a'))
  })

  test('is no program that anybody knows', () => {
    expect(describeUserAgent(' Version/1'.repeat(LONG / 10))).toEqual({})
    expect(describeUserAgent(`Version/1${'.'.repeat(LONG)} Safari/1`)).toEqual({
      program: 'Safari',
    })
  })

  test('is read as parameters', { timeout: 15_000 }, () => {
    const names = Array.from({ length: MANY }, (_, place) => `p${place}`)
    const text = names.map((name) => `${name}=x`).join('&')
    const { values, repeated } = readParameters(new URLSearchParams(text))
    expect([Object.keys(values).length, repeated.length]).toEqual([names.length, 0])
    const twice = readParameters(new URLSearchParams(`${text}&${text}`))
    expect(twice.repeated).toHaveLength(names.length)
    expect(twice.values).toEqual({})
  })

  test('is refused as a credential', async () => {
    const site = new CheapSite()
    const token = await site.addSignedInUser()
    const blanks = ' '.repeat(60_000)
    const body = { secret: `${'='.repeat(60_000)}1`, code: '123456' }
    expect(await site.post('/api/auth/2fa/verify', body, { token })).toMatchObject({ code: 400 })
    expect(await site.get('/api/me', { token: `bearer${blanks}x` })).toMatchObject({ code: 401 })
    const cookie = { headers: { Cookie: `session=${'; '.repeat(30_000)}x` } }
    expect(await site.get('/api/public/settings', cookie)).toMatchObject({ code: 200 })
  })
})
