import { InvalidArgumentError } from 'commander'

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

/**
 * Returns the parser of a number of days.
 *
 * @param example Stands in the refusal, such as `7d`.
 */
export function daysUpTo(most: number, example: string): (text: string) => number {
  return (text) => {
    const days = readDays(text, most)
    if (days !== undefined) return days
    throw new InvalidArgumentError(`It must be a number of days such as ${example}.`)
  }
}
