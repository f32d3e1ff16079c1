import { parseDay } from '../../core/base/calendar.ts'
import { isoTime } from '../../core/base/time.ts'

/**
 * Reads a date that somebody entered as the time at which the day begins in UTC, as schemas of the
 * API take it.
 *
 * @returns Nothing for an empty text; any other text as it is, which the schema refuses.
 */
export function timeOfDay(text = ''): string | undefined {
  if (text === '') return undefined
  const day = parseDay(text)
  return day === undefined ? text : isoTime(day)
}

/** Returns the date of a time in UTC, for a field; empty without a time. */
export function dayOf(time: number | null): string {
  return time === null ? '' : isoTime(time).slice(0, 10)
}
