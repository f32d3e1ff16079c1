/**
 * Reads a number of days such as `90d`.
 *
 * @param most The largest number, of six digits at most.
 * @returns `undefined` for any other text.
 */
export function readDays(text: string, most: number): number | undefined {
  const days = Number(/^(\d{1,6})d$/.exec(text)?.[1])
  return days >= 1 && days <= most ? days : undefined
}
