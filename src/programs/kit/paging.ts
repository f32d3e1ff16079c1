import { InvalidArgumentError } from 'commander'
import { takes, withDefault } from './declaration.ts'

const DEFAULT_LIMIT = 100
const MAX_NUMBER = 1_000_000

/** The options for the part of a long list to show. */
export const PAGE = {
  limit: withDefault(
    takes('--limit <n>', 'the number of rows to show', '显示的行数', parseCount),
    DEFAULT_LIMIT,
  ),
  page: withDefault(
    takes('--page <n>', 'the number of the page, from 1', '页码，从 1 开始', parseCount),
    1,
  ),
}

/** Parses a whole number from 1. */
function parseCount(text: string): number {
  return countUpTo(MAX_NUMBER)(text)
}

/** Parses the id of a row. Those of OpenList's users may be above a billion. */
export const parseId = countUpTo(Number.MAX_SAFE_INTEGER)

/** Returns the parser of a whole number from 1 to `most`. */
export function countUpTo(most: number): (text: string) => number {
  return (text) => {
    const number = Number(text)
    if (/^\d+$/.test(text) && number >= 1 && number <= most) return number
    throw new InvalidArgumentError(`It must be a number from 1 to ${most}.`)
  }
}
