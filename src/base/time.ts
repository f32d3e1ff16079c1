/** @param time Unix time, milliseconds. @returns For example `2026-11-21T09:15:06.565+00:00`. */
export function isoTime(time: number): string {
  return new Date(time).toISOString().replace('Z', '+00:00')
}
