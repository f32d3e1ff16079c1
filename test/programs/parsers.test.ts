import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { editDistance, nearest } from '../../src/programs/kit/edit-distance.ts'
import { parseSince } from '../../src/capabilities/activity/commands/event.ts'
import { columnWidths } from '../../src/programs/kit/output.ts'
import {
  parsePermission,
  permissionNames,
  permissionText,
} from '../../src/programs/kit/permission.ts'
import { readLine } from '../../src/programs/kit/standard-input.ts'
import { Readable } from 'node:stream'

describe('the edit distance', () => {
  test.each([
    ['kitten', 'sitting', 3],
    ['', 'abc', 3],
    ['flaw', 'lawn', 2],
    ['🔑', '🔒', 1],
  ])('of %s and %s is %i', (one, other, distance) => {
    expect(editDistance(one, other)).toBe(distance)
  })

  test('is a metric', () => {
    const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 8 })
    fc.assert(
      fc.property(word, word, word, (a, b, c) => {
        expect(editDistance(a, b)).toBe(editDistance(b, a))
        expect(editDistance(a, b) === 0).toBe(a === b)
        expect(editDistance(a, c)).toBeLessThanOrEqual(editDistance(a, b) + editDistance(b, c))
      }),
    )
  })

  test('finds the nearest word that is near enough', () => {
    expect(nearest('ALCIE', ['bob', 'alice', 'alicia'], 2)).toBe('alice')
    expect(nearest('zoe', ['alice'], 2)).toBeUndefined()
  })
})

describe('permissions', () => {
  test('are names, a number, or names to add and to remove', () => {
    expect(parsePermission('29183')).toBe(29_183)
    expect(parsePermission('sftp-read, share')).toBe(0x4400)
    expect([parsePermission('all'), parsePermission('none')]).toEqual([0xffff, 0])
    expect(['look', 'read', 'everything'].map(parsePermission)).toEqual([0, 0x1500, 0xffff])
    expect(parsePermission('write')).toBe(0x3ff8)
    expect(parsePermission('read,share')).toBe(0x5500)
    expect(parsePermission('+sftp-read,+share, -remove')).toEqual({ set: 0x4400, clear: 0x80 })
    expect(permissionNames(0x4480)).toEqual(['remove', 'sftp-read', 'share'])
  })

  test('of any number have names that give the same number', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 0xffff }), (set) => {
        const names = permissionNames(set)
        expect(parsePermission(names.join(','))).toBe(set)
        const change = names.map((name) => `+${name}`)
        expect(parsePermission(change.join(','))).toEqual({ set, clear: 0 })
      }),
    )
  })

  test('are shown in the shorter way, from which the number can be told', () => {
    expect(permissionText(0x71ff)).toBe(
      'all but webdav-write, sftp-read, sftp-write, custom-share-id',
    )
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 0xffff }), (permission) => {
        const text = permissionText(permission)
        const [, missing] = /^all but (.*)$/.exec(text) ?? []
        const told = parsePermission(missing ?? text)
        expect(missing === undefined ? told : 0xffff & ~Number(told)).toBe(permission)
      }),
    )
  })

  test.each([
    ['65536', 'a level such as write, names such as sftp-read,share'],
    ['shore', 'Did you mean share?'],
    ['share,+move', '+sftp-read,-remove'],
    ['+renam', 'Did you mean rename?'],
    ['wirte', 'Did you mean write?'],
    ['+write', 'write is a level: it stands without + and -.'],
    ['share,-read', 'names such as sftp-read,share'],
    ['+share,-share', 'can not be both added and removed'],
    ['', 'names such as'],
  ])('refuse "%s"', (text, reason) => {
    expect(() => parsePermission(text)).toThrow(reason)
  })
})

describe('a time', () => {
  test.each([
    ['2026-11-21', Date.UTC(2026, 10, 21)],
    ['2026-11-21T09:15:00Z', Date.UTC(2026, 10, 21, 9, 15)],
  ])('%s is an instant', (text, time) => {
    expect(parseSince(text, 0)).toBe(time)
  })

  test('may be counted back from now', () => {
    const now = Date.UTC(2026, 10, 21)
    expect(['30m', '12h', '7d'].map((text) => now - parseSince(text, now))).toEqual([
      1_800_000, 43_200_000, 604_800_000,
    ])
  })

  test.each(['yesterday', '12', '2026', '2026-13-45', '-5m'])('is not %s', (text) => {
    expect(() => parseSince(text, 0)).toThrow('It must be like 30m')
  })
})

test('the columns of a table fit any terminal that is wide enough for them', () => {
  const cell = fc.string({ maxLength: 60 })
  const rows = fc.array(fc.tuple(cell, cell, cell), { minLength: 1 })
  fc.assert(
    fc.property(rows, fc.integer({ min: 24, max: 200 }), (table, available) => {
      const widths = columnWidths(table, available)
      const sum = widths?.reduce((total, width) => total + width, 0) ?? 0
      expect(sum).toBeLessThanOrEqual(available)
    }),
  )
  expect(columnWidths([['short', 'x'.repeat(50)]], 30)).toEqual([7, 23])
  expect(columnWidths([['short', '鍵鍵']], 30)).toBeUndefined()
  const time = '2026-11-24T01:02:03Z'
  expect(columnWidths([['x'.repeat(40), time, time]], 80)).toEqual([36, 22, 22])
})

test('the first line of the standard input ends with a line break, or with the input', async () => {
  const lines = ['a b\nrest', 'a b\r\nrest', 'a b'].map((text) => readLine(Readable.from([text])))
  expect(await Promise.all(lines)).toEqual(['a b', 'a b', 'a b'])
  expect(
    await readLine(
      Readable.from([Buffer.from('ü').subarray(0, 1), Buffer.from('ü\n').subarray(1)]),
    ),
  ).toBe('ü')
  await expect(readLine(Readable.from([Buffer.of(0xff, 10)]))).rejects.toThrow('not UTF-8')
})
