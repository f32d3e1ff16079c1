export const HOUR_MILLISECONDS = 60 * 60 * 1000
export const DAY_MILLISECONDS = 24 * HOUR_MILLISECONDS
/** For cookies and answers that need no end. */
export const YEAR_SECONDS = 365 * 24 * 60 * 60

/** @param time Unix time, milliseconds. @returns For example `2026-11-21T09:15:06.565+00:00`. */
export function isoTime(time: number): string {
  return new Date(time).toISOString().replace('Z', '+00:00')
}

/** Like `isoTime`; null for what has never happened. */
export function isoTimeOrNull(time: number | null): string | null {
  return time === null ? null : isoTime(time)
}

const RFC_3339 =
  /^(\d{4}-\d\d-\d\d)[Tt ](\d\d):([0-5]\d):([0-5]\d)(\.\d{1,9})?([Zz]|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/

/**
 * Reads a time with its offset from UTC. A leap second is refused.
 *
 * @returns Unix time, milliseconds; `undefined` for any other text, and for a day that no month
 *   has.
 * @see RFC 3339 section 5.6
 */
export function parseTime(text: string): number | undefined {
  const [, day = '', hour = '', minute = '', second = '', fraction = '', offset = ''] =
    RFC_3339.exec(text) ?? []
  const midnight = Date.parse(`${day}T00:00:00.000Z`)
  // Some parsers take February 30 for March 2.
  if (Number.isNaN(midnight) || !isoTime(midnight).startsWith(day)) return undefined
  const time = Date.parse(
    `${day}T${hour}:${minute}:${second}${fraction.slice(0, 4)}${offset.toUpperCase()}`,
  )
  return Number(hour) > 23 || Number.isNaN(time) ? undefined : time
}
