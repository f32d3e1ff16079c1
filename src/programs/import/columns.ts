import * as v from 'valibot'
import { readReason, wordsOf } from '../../core/base/reasons.ts'

/** Any value; a missing column is NULL. */
export const anything = v.optional(v.unknown(), null)

/** A text; NULL and a missing column are empty. */
export const textColumn = v.pipe(
  v.nullish(v.string(), ''),
  v.check((value) => value.isWellFormed(), 'must be valid Unicode'),
)

/** A number from SQLite, JSON or a text; NULL and a missing column are 0. */
export const numberColumn = v.pipe(
  anything,
  v.transform(toNumber),
  v.number('must be a whole number'),
)

/** A boolean; NULL and a missing column are false. */
export const flagColumn = v.pipe(
  anything,
  v.transform((value) => (typeof value === 'boolean' ? Number(value) : toNumber(value))),
  v.picklist([0, 1], 'must be 0 or 1'),
  v.transform(Boolean),
)

/** The largest id that is kept; larger ids would leave no room for new users. */
const MAX_ID = 2 ** 31

/** @returns `undefined` for a value that can't be an id here. */
export function readId(value: unknown): number | undefined {
  const id = toNumber(value)
  return typeof id === 'number' && Number.isInteger(id) && id >= 1 && id <= MAX_ID ? id : undefined
}

/** Returns a text for the report; empty for any other type. */
export function readText(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

/** Says why a row is invalid, without quoting its values, which may be secrets. */
export function reasonOf(issue: v.BaseIssue<unknown>): string {
  const column = v.getDotPath(issue) ?? 'row'
  if (issue.input === undefined || issue.input === null || issue.input === '')
    return `${column} is missing`
  if (issue.type === 'string') return `${column} must be a text`
  return `${column} ${wordsOf(readReason(issue.message))}`
}

/**
 * Parses a time that Go has written, to SQLite or JSON.
 *
 * @returns Unix time, milliseconds; `undefined` for no time, and for times before 1970.
 */
export function parseGoTime(value: unknown): number | undefined {
  const [, date, time, fraction = '', zone = 'Z'] =
    /^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d)(\.\d{1,9})? ?(Z|[+-]\d\d:?\d\d)?/.exec(
      typeof value === 'string' ? value : '',
    ) ?? []
  const parsed = Date.parse(
    `${date}T${time}${fraction.slice(0, 4)}${zone.replace(/(\d\d)(\d\d)$/, '$1:$2')}`,
  )
  return parsed > 0 ? parsed : undefined
}

function toNumber(value: unknown): unknown {
  if (value === null || value === undefined) return 0
  if (typeof value === 'bigint') return Number(value)
  return typeof value === 'string' && /^-?\d{1,19}$/.test(value) ? Number(value) : value
}
