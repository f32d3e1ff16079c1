import { DAY_MILLISECONDS } from './time.ts'

/** A day of the calendar: the Unix time at which it begins in UTC, milliseconds. */
type Day = number

/** Reads a date such as `2026-11-21`. @returns `undefined` for other texts and for February 30. */
export function parseDay(text: string): Day | undefined {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return undefined
  const day = Date.parse(`${text}T00:00:00Z`)
  if (Number.isNaN(day) || !new Date(day).toISOString().startsWith(text)) return undefined
  return day
}

/**
 * Returns when a day begins in a time zone.
 *
 * @param zone A name of the IANA database, such as `Asia/Shanghai`.
 * @returns Unix time, milliseconds.
 */
export function startOf(day: Day, zone: string): number {
  // The first offset may be that of the day before; the second is that of the time itself.
  return day - offsetAt(day - offsetAt(day, zone), zone)
}

/** Returns when a day ends, which is when the next one begins. */
export function endOf(day: Day, zone: string): number {
  return startOf(day + DAY_MILLISECONDS, zone)
}

export function isZone(zone: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: zone }) instanceof Intl.DateTimeFormat
  } catch {
    return false
  }
}

/** Returns how far the clocks of a zone are ahead of UTC at a time, milliseconds. */
function offsetAt(time: number, zone: string): number {
  const format = new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'longOffset' })
  const name = format.formatToParts(time).find(({ type }) => type === 'timeZoneName')?.value ?? ''
  const [, sign, hours, minutes, seconds] = /^GMT([+-])(\d\d):(\d\d)(?::(\d\d))?$/.exec(name) ?? []
  const offsetSeconds = Number(hours ?? 0) * 3600 + Number(minutes ?? 0) * 60 + Number(seconds ?? 0)
  return (sign === '-' ? -1000 : 1000) * offsetSeconds
}
