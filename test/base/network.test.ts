import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { networkOf } from '../../src/core/base/network.ts'
import { anyCharacter } from '../support/any-character.ts'

/** An address as eight groups, written in one of the ways RFC 4291 section 2.2 allows. */
function write(groups: number[], { compressed = false, padded = false, upper = false }): string {
  const hex = groups.map((group) => group.toString(16))
  const full = hex.map((group) => (padded ? group.padStart(4, '0') : group)).join(':')
  const text = compressed ? hex.join(':').replace(/(^|:)0(:0)+(:|$)/, '::') : full
  return upper ? text.toUpperCase() : text
}

const group = fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 0xffff }))
const half = fc.array(group, { minLength: 4, maxLength: 4 })
const writing = fc.record({ compressed: fc.boolean(), padded: fc.boolean(), upper: fc.boolean() })

describe('networkOf', () => {
  test('takes an IPv4 address as it is', () => {
    expect(networkOf('192.0.2.1')).toBe('192.0.2.1')
    expect(networkOf('127.0.0.1')).toBe('127.0.0.1')
  })

  test('takes an IPv4 address out of an IPv6 one that carries it', () => {
    expect(networkOf('::ffff:192.0.2.1')).toBe('192.0.2.1')
    expect(networkOf('::FFFF:192.0.2.1')).toBe('192.0.2.1')
  })

  test.each([
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:0DB8:0001:0002:0000:0000:0000:0001', '2001:db8:1:2::/64'],
    ['2001:db8:1:2::', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['2001:db8:0:0:ffff:ffff:ffff:ffff', '2001:db8:0:0::/64'],
    ['2001:DB8::1:0:0:1', '2001:db8:0:0::/64'],
    ['2001:db8:0:0:1::', '2001:db8:0:0::/64'],
    ['1::2:3:4:5:6:7', '1:0:2:3::/64'],
    ['::1', '::1'],
    ['::', '0:0:0:0::/64'],
    ['64:ff9b::192.0.2.1', '64:ff9b:0:0::/64'],
  ])('cuts %s to its /64', (address, network) => {
    expect(networkOf(address)).toBe(network)
  })

  test('calls whatever is no address unknown', () => {
    const garbage = [
      '',
      ' ',
      'unknown',
      'localhost',
      '1.2.3',
      '1.2.3.4.5',
      '192.0.2.1 ',
      '192.0.2.1, 198.51.100.1',
      '192.0.2.1\n',
      '[2001:db8::1]',
      'fe80::1%eth0',
      '2001:db8::1/64',
      '2001:db8::g',
      '٢.٢.٢.٢',
      ':',
      '0'.repeat(10_000),
      `::${'1'.repeat(10_000)}`,
    ]
    for (const text of garbage) expect(networkOf(text), text.slice(0, 40)).toBe('unknown')
  })

  test('gives one network for two addresses of one /64, however they are written', () => {
    fc.assert(
      fc.property(half, half, half, writing, writing, (prefix, one, other, first, second) => {
        // The loopback address and mapped IPv4 addresses stand in the first /64: tested above.
        fc.pre(prefix.join() !== '0,0,0,0')
        expect(networkOf(write([...prefix, ...one], first))).toBe(
          networkOf(write([...prefix, ...other], second)),
        )
      }),
    )
  })

  test('gives two networks for addresses of two /64s', () => {
    fc.assert(
      fc.property(half, half, half, writing, (one, other, rest, how) => {
        fc.pre(one.join() !== other.join())
        expect(networkOf(write([...one, ...rest], how))).not.toBe(
          networkOf(write([...other, ...rest], how)),
        )
      }),
    )
  })

  test('gives a short text for any text', () => {
    const addressLike = fc.string({
      unit: fc.constantFrom(...Array.from('0123456789abcdefABCDEF:.%/ ')),
    })
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: anyCharacter }), addressLike), (text) => {
        expect(networkOf(text).length).toBeLessThanOrEqual(50)
      }),
      { numRuns: 300 },
    )
  })
})

test.each([
  '192.0.2.1:80',
  ':::',
  '1:2:3',
  '1::2::3',
  '1:2:3:4:5:6:7:8:9',
  '12345::1',
  '....:',
  '999.1.1.1',
  '192.0.2.1.',
  'fe80::1%eth0',
])('%s is no address', (text) => {
  expect(networkOf(text)).toBe('unknown')
})

test.each(['::ffff:192.0.2.1', '::ffff:c000:201', '0:0:0:0:0:ffff:192.0.2.1'])(
  '%s is the IPv4 address in it',
  (address) => {
    expect(networkOf(address)).toBe('192.0.2.1')
  },
)
