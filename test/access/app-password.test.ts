import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { crc32 } from '../../src/core/base/crc-32.ts'
import { makeAppPassword } from '../../src/core/access/app-password.ts'
import { checksumOf, isAppPassword } from '../../src/core/access/app-password-form.ts'
import { randomBytes } from '../../src/core/deps.ts'

const bytes = (text: string) => new TextEncoder().encode(text)

describe('crc32', () => {
  // The second is the check value of the catalogue of CRCs (CRC-32/ISO-HDLC).
  test.each([
    ['', 0],
    ['123456789', 0xcbf43926],
    ['a', 0xe8b7be43],
    ['abc', 0x352441c2],
    ['The quick brown fox jumps over the lazy dog', 0x414fa339],
  ])('of "%s" is the published number', (text, checksum) => {
    expect(crc32(bytes(text))).toBe(checksum)
  })
})

describe('an app password', () => {
  test('has a checksum like that of GitHub’s tokens', () => {
    // 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, a published example; GitHub leaves out the prefix.
    expect(checksumOf('zQWBuTSOoRi4A9spHcVY5ncnsDkxkJ')).toBe('0mLq17')
  })

  test('is the prefix, 32 characters, and the checksum of both', () => {
    const zeros = makeAppPassword({ randomBytes: (length) => new Uint8Array(length) })
    expect(zeros).toBe(`lk_${'0'.repeat(32)}0dawgh`)
  })

  test('is accepted as it is made, and refused with any one character changed, lost or added', () => {
    fc.assert(
      fc.property(fc.nat(40), fc.nat(61), fc.nat(), (place, shift, seed) => {
        const token = makeAppPassword({
          randomBytes: (length) =>
            Uint8Array.from({ length }, (_, index) => (seed * 31 + index * 97) % 248),
        })
        expect(isAppPassword(token)).toBe(true)
        const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
        const other = alphabet.charAt(shift)
        const changed = token.slice(0, place) + other + token.slice(place + 1)
        expect(isAppPassword(changed)).toBe(changed === token)
        expect(isAppPassword(token.slice(0, place) + token.slice(place + 1))).toBe(false)
        expect(isAppPassword(token + other)).toBe(false)
      }),
    )
  })

  test('is refused when it is any other text', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect([isAppPassword(text), isAppPassword(`lk_${text}`)]).toEqual([false, false])
      }),
    )
  })

  test('has every character equally often: bytes from 248 on are dropped', () => {
    const dealt = [255, 248, 0, 61, 62, 247, 249].values()
    const made = makeAppPassword({
      randomBytes: (length) => Uint8Array.from({ length }, () => dealt.next().value ?? 1),
    })
    expect(made.slice(3, 35)).toBe(`0z0z${'1'.repeat(28)}`)
  })

  test('is never the same twice', () => {
    const made = Array.from({ length: 100 }, () => makeAppPassword({ randomBytes }))
    expect(new Set(made).size).toBe(100)
  })
})
