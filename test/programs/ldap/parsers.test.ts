import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  BerError,
  BerReader,
  element,
  integer,
  sizeOf,
  TAG,
} from '../../../src/programs/ldap-door/ber.ts'
import { uuidOf } from '../../../src/programs/ldap-door/directory.ts'
import { dnKey, DnError, parseDn, printDn } from '../../../src/programs/ldap-door/dn.ts'
import { FilterTooLarge, matches, readFilter } from '../../../src/programs/ldap-door/filter.ts'
import { readMessage } from '../../../src/programs/ldap-door/message.ts'

const anyBytes = fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes))

/** Runs a parser. @returns What it has thrown. */
function thrownBy(parse: () => unknown): unknown {
  try {
    parse()
    return undefined
  } catch (error) {
    return error
  }
}

describe('BER', () => {
  test('reads what it has written', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 70_000, size: 'max' }), (bytes) => {
        const written = element(TAG.octets, Buffer.from(bytes))
        expect(new BerReader(written).read(TAG.octets)).toEqual(Buffer.from(bytes))
      }),
      { numRuns: 30 },
    )
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 0x7fffffff }), (value) => {
        expect(new BerReader(integer(value)).readInteger()).toBe(value)
      }),
    )
  })

  test('throws nothing but its own errors, for any bytes', () => {
    fc.assert(
      fc.property(anyBytes, (bytes) => {
        for (const parse of [() => readMessage(bytes), () => sizeOf(bytes, 0)]) {
          const thrown = thrownBy(parse)
          expect(thrown === undefined || thrown instanceof BerError).toBe(true)
        }
      }),
      { numRuns: 2000 },
    )
  })

  test('takes lengths with leading zeros, which old clients send, and no indefinite ones', () => {
    expect(new BerReader(Buffer.from('0484000000016f', 'hex')).read(TAG.octets).toString()).toBe(
      'o',
    )
    expect(() => new BerReader(Buffer.from('04806f0000', 'hex')).read(TAG.octets)).toThrow(BerError)
    expect(() => new BerReader(Buffer.from('040261', 'hex')).read(TAG.octets)).toThrow(BerError)
  })
})

describe('a DN', () => {
  test('reads what it prints', () => {
    const value = fc
      .string({ unit: 'grapheme', minLength: 1 })
      .filter((text) => text.isWellFormed())
    const part = fc.record({ type: fc.constantFrom('uid', 'cn', 'ou', 'dc'), value })
    fc.assert(
      fc.property(fc.array(fc.tuple(part), { minLength: 1, maxLength: 5 }), (dn) => {
        expect(parseDn(printDn(dn))).toEqual(dn)
        expect(dnKey(parseDn(printDn(dn)))).toBe(dnKey(dn))
      }),
      { numRuns: 1000 },
    )
  })

  test('throws nothing but its own errors, for any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string(), (a, b) => {
        const thrown = thrownBy(() => parseDn(`cn=${a},${b}`))
        expect(thrown === undefined || thrown instanceof DnError).toBe(true)
      }),
      { numRuns: 2000 },
    )
  })

  // RFC 4514 section 4.
  test.each([
    ['UID=jsmith,DC=example,DC=net', 'uid=jsmith,dc=example,dc=net'],
    ['CN=James \\"Jim\\" Smith\\, III,DC=example', 'cn=james \\"jim\\" smith\\, iii,dc=example'],
    ['CN=Before\\0dAfter,DC=example', 'cn=before\\0dafter,dc=example'],
    ['CN=Lu\\C4\\8Di\\C4\\87', 'cn=lučić'],
    ['OU=Sales+CN=J. Smith', 'cn=j. smith+ou=sales'],
    ['uid = alice , ou = People', 'uid=alice,ou=people'],
    ['cn=\\ a\\ ', 'cn=\\20a\\20'],
  ])('reads %s', (text, key) => {
    expect(dnKey(parseDn(text))).toBe(key)
  })

  test.each([
    'alice',
    'uid=',
    'uid=a,',
    'uid=a;ou=b',
    '=a',
    'uid=#04024869',
    'uid=a\\',
    'uid=a\\zz',
    'cn=\\ff',
  ])('refuses %s', (text) => {
    expect(() => parseDn(text)).toThrow(DnError)
  })
})

const present = element(0x87, 'uid')
const equal = (name: string, value: string | Buffer) =>
  element(0xa3, element(TAG.octets, name), element(TAG.octets, value))
const pieces = (name: string, piece: string | Buffer) =>
  element(0xa4, element(TAG.octets, name), element(TAG.sequence, element(0x81, piece)))
const not = (filter: Buffer) => element(0xa2, filter)
const nested = (levels: number) => {
  let filter = present
  for (let level = 1; level < levels; level++) filter = not(filter)
  return filter
}
const wide = (parts: number) => element(0xa1, ...Array.from({ length: parts }, () => present))

describe('a filter', () => {
  const entry = new Map([['uid', ['alice']]])
  const result = (bytes: Buffer) => matches(readFilter(new BerReader(bytes)), entry)

  test.each([
    ['and of nothing', element(0xa0), true],
    ['or of nothing', element(0xa1), false],
    ['unknown', equal('typo', 'x'), undefined],
    ['not unknown', not(equal('typo', 'x')), undefined],
    ['not unknown, by a name of JavaScript', not(element(0x87, 'constructor')), undefined],
    ['absent', equal('mail', 'x'), false],
    ['no DN', equal('memberOf', 'alice'), undefined],
    ['not no DN', not(equal('memberOf', 'alice')), undefined],
    ['not another DN', not(equal('memberOf', 'cn=admins')), true],
    ['not no member', not(equal('uniqueMember', 'cn=a,')), undefined],
    ['not no UUID', not(equal('entryUUID', 'alice')), undefined],
    ['not another UUID', not(equal('entryUUID', '5c1fcbd6-0ab9-5b0d-9d61-5bcbb36ee6d0')), true],
    ['not no UTF-8', not(equal('uid', Buffer.of(0xff))), undefined],
    ['not an empty value', not(equal('uid', '')), undefined],
    ['not no class', not(equal('objectClass', 'a b')), undefined],
    ['not an unknown class', not(equal('objectClass', 'computer')), true],
    ['not an absent piece', not(pieces('uid', 'bo')), true],
    ['not a piece that is no UTF-8', not(pieces('uid', Buffer.of(0xff))), undefined],
    ['not an empty piece', not(pieces('uid', '')), undefined],
    ['false and unknown', element(0xa0, equal('uid', 'x'), equal('typo', 'x')), false],
    ['true and unknown', element(0xa0, present, equal('typo', 'x')), undefined],
    ['true or unknown', element(0xa1, equal('typo', 'x'), present), true],
    ['false or unknown', element(0xa1, equal('typo', 'x'), equal('uid', 'x')), undefined],
  ])('has three values: %s', (_, bytes, expected) => {
    expect(result(bytes)).toBe(expected)
  })

  test('has at most 16 levels and 128 parts', () => {
    expect(result(nested(16))).toBe(false)
    expect(() => result(nested(17))).toThrow(FilterTooLarge)
    expect(() => result(nested(5000))).toThrow(FilterTooLarge)
    expect(result(wide(127))).toBe(true)
    expect(() => result(wide(128))).toThrow(FilterTooLarge)
  })

  test('throws nothing but its own errors, for any bytes', () => {
    const tags = fc.constantFrom(0xa0, 0xa1, 0xa2, 0xa3, 0xa4, 0x87, 0xa9)
    fc.assert(
      fc.property(tags, anyBytes, (tag, bytes) => {
        const thrown = thrownBy(() => result(element(tag, bytes)))
        const isOwn = thrown instanceof BerError || thrown instanceof FilterTooLarge
        expect(thrown === undefined || isOwn).toBe(true)
      }),
      { numRuns: 2000 },
    )
  })
})

// Python: uuid.uuid5(uuid.NAMESPACE_X500, 'cn=a').
test('makes UUIDs of version 5', () => {
  expect(uuidOf('cn=a')).toBe('5c1fcbd6-0ab9-5b0d-9d61-5bcbb36ee6d0')
})
