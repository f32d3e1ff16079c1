import { drizzle, type DrizzleD1Database } from 'drizzle-orm/d1'
import { Refusal } from './refusals.ts'

export type Database = DrizzleD1Database

/** How long a person waits for something that doesn't answer. */
const DEADLINE_MILLISECONDS = 5000

/** What a request has cost so far. */
export interface Meter {
  roundTrips: number
}

/**
 * Opens D1 for one request: every round trip is counted and has a deadline, and a failure is
 * `unavailable`, its text for the log alone. What was asked for may still happen after the
 * deadline; the statements are written to bear it.
 */
export function openDatabase(
  d1: D1Database,
  meter: Meter,
  deadlineMilliseconds?: number,
): Database {
  const originals = new WeakMap<D1PreparedStatement, D1PreparedStatement>()
  function trip<Answer>(answer: Promise<Answer>): Promise<Answer> {
    meter.roundTrips += 1
    return orUnavailable(answer, deadlineMilliseconds)
  }
  function wrap(statement: D1PreparedStatement): D1PreparedStatement {
    const wrapped = new Proxy(statement, {
      get(target, name) {
        if (name === 'bind') return (...values: unknown[]) => wrap(target.bind(...values))
        if (name === 'run') return () => trip(target.run())
        if (name === 'all') return () => trip(target.all())
        if (name === 'raw') return () => trip(target.raw())
        return Reflect.get(target, name)
      },
    })
    originals.set(wrapped, statement)
    return wrapped
  }
  const metered = new Proxy(d1, {
    get(target, name) {
      if (name === 'prepare') return (query: string) => wrap(target.prepare(query))
      if (name !== 'batch') return Reflect.get(target, name)
      return (statements: D1PreparedStatement[]) =>
        trip(target.batch(statements.map((statement) => originals.get(statement) ?? statement)))
    },
  })
  return drizzle(metered)
}

/**
 * @throws {Refusal} `unavailable` when the answer is a failure, or none within `deadline`
 *   milliseconds.
 */
export async function orUnavailable<Answer>(
  answer: Promise<Answer>,
  deadline = DEADLINE_MILLISECONDS,
): Promise<Answer> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${deadline} ms`)), deadline)
  })
  try {
    return await Promise.race([answer, late])
  } catch (error) {
    throw new Refusal('unavailable', {
      detail: error instanceof Error ? error.message : String(error),
    })
  } finally {
    clearTimeout(timer)
  }
}
