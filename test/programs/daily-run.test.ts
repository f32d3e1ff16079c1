import { expect, test } from 'vitest'
import { createDailySchedule } from '../../src/programs/start/daily-run.ts'

const HOUR = 60 * 60 * 1000

test('the daily run is due at once, and again a day after the last that went well', () => {
  let now = 0
  const schedule = createDailySchedule(() => now)
  expect(schedule.isDue()).toBe(true)
  // One that failed is tried again.
  expect(schedule.isDue()).toBe(true)
  schedule.done()
  now = 24 * HOUR - 1
  expect(schedule.isDue()).toBe(false)
  now = 24 * HOUR
  expect(schedule.isDue()).toBe(true)
})
