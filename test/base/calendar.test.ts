import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { endOf, isZone, parseDay, startOf } from '../../src/core/base/calendar.ts'

const ZONES = [
  'UTC',
  'Asia/Shanghai',
  'Asia/Kolkata',
  'America/New_York',
  'Europe/Berlin',
  'Australia/Lord_Howe',
  'Pacific/Kiritimati',
  'Pacific/Niue',
]
const DAY = 86_400_000

/** Date and time of a zone's clocks, as `2026-11-21, 00:00:00`. */
function clockOf(time: number, timeZone: string): string {
  const format = { dateStyle: 'short', timeStyle: 'medium', hourCycle: 'h23', timeZone } as const
  return new Intl.DateTimeFormat('en-CA', format).format(time)
}

function start(day: string, zone: string): string {
  return new Date(startOf(parseDay(day) ?? NaN, zone)).toISOString()
}

describe('a day', () => {
  test.each(['', '2026-02-30', '2026-13-01', '2026-1-1', '2026-11-21T00:00', '-2026-11-21', 'x'])(
    'is not written %j',
    (text) => {
      expect(parseDay(text)).toBeUndefined()
    },
  )

  test('begins at midnight of its zone, also when the clocks change', () => {
    expect(start('2026-11-21', 'UTC')).toBe('2026-11-21T00:00:00.000Z')
    expect(start('2026-11-21', 'Asia/Shanghai')).toBe('2026-11-20T16:00:00.000Z')
    expect(start('2026-03-29', 'Europe/Berlin')).toBe('2026-03-28T23:00:00.000Z')
    expect(start('2026-03-30', 'Europe/Berlin')).toBe('2026-03-29T22:00:00.000Z')
    expect(start('2026-11-02', 'America/New_York')).toBe('2026-11-02T05:00:00.000Z')
  })

  test('begins at 00:00 of every zone’s clocks, and ends where the next begins', () => {
    const days = fc.integer({ min: 0, max: 40_000 })
    fc.assert(
      fc.property(days, fc.constantFrom(...ZONES), (number, zone) => {
        const day = number * DAY
        expect(clockOf(startOf(day, zone), zone)).toMatch(
          new RegExp(`^${new Date(day).toISOString().slice(0, 10)}, 00:00:00`),
        )
        expect(endOf(day, zone)).toBe(startOf(day + DAY, zone))
      }),
    )
  })
})

test('only names of time zones are time zones', () => {
  expect(ZONES.filter(isZone)).toEqual(ZONES)
  expect(['', 'Nowhere/Else', '../etc', 'x'.repeat(255)].filter(isZone)).toEqual([])
})
