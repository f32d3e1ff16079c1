import { type SQL, sql, type SQLWrapper } from 'drizzle-orm'
import { literal } from '../database/literal.ts'
import { type Limit, type LimitName, LIMITS } from './limit-table.ts'

/** A row of `throttle_counters`, or a counter in `parts` of a row. */
interface Figures {
  /** The key, which begins with the name of the limit; or that name, where it is known. */
  key: SQLWrapper | LimitName
  failures: SQLWrapper
  expiresAt: SQLWrapper
  chargedAt: SQLWrapper
  /** The limits that the key can name; all of them when left out. */
  limits?: readonly LimitName[]
}

/** Returns the figures of a part: `[failures, expires at, charged at]`. */
export function figuresOf(key: Figures['key'], part: SQLWrapper): Figures {
  const figure = (index: number) => sql`(${part} ->> ${literal(index)})`
  const limits = ['network', 'pair'] as const
  return { key, failures: figure(0), expiresAt: figure(1), chargedAt: figure(2), limits }
}

function isSpent(counter: Figures): SQL {
  return sql`${counter.failures} >= ${byLimit(counter, ({ failures }) => failures)}`
}

/** Returns the time at which a counter starts again; null for a counter without a row. */
export function restartOf(counter: Figures): SQL {
  return sql`iif(${isSpent(counter)}, ${endOfSpent(counter)}, ${counter.expiresAt})`
}

/** Returns the end of a counter's block; 0 when it isn't spent. */
export function blockOf(counter: Figures): SQL {
  return sql`iif(${isSpent(counter)}, ${endOfSpent(counter)}, 0)`
}

function endOfSpent(counter: Figures): SQL {
  const blockMilliseconds = byLimit(counter, ({ blockSeconds }) => blockSeconds * 1000)
  return sql`max(${counter.expiresAt}, ${counter.chargedAt} + ${blockMilliseconds})`
}

/**
 * Returns a figure of a counter's limit as a literal number, because D1 allows only a hundred
 * parameters. The cases are one text, because Drizzle takes time for each piece of a statement, and
 * SQLite for each case.
 */
function byLimit({ key, limits }: Figures, figure: (limit: Limit) => number): SQL {
  if (typeof key === 'string') return literal(figure(LIMITS[key]))
  const named = Object.entries(LIMITS).filter(
    ([name]) => limits === undefined || limits.some((limit) => limit === name),
  )
  const cases = named.flatMap(([name, limit]) =>
    figure(limit) === 0 ? [] : `when '${name}' then ${figure(limit)}`,
  )
  if (cases.length < named.length) cases.push('else 0')
  return sql`case substr(${key}, 1, instr(${key}, '/') - 1) ${sql.raw(cases.join(' '))} end`
}
