import { fillPlaceholders, type Placeholder, sql } from 'drizzle-orm'
import type { BatchItem } from 'drizzle-orm/batch'
import { drizzle, type DrizzleD1Database } from 'drizzle-orm/d1'
import type { RunnableQuery } from 'drizzle-orm/runnable-query'
import { Refusal } from './refusals.ts'

export type Database = DrizzleD1Database

/** How long a person waits for something that doesn't answer. */
const DEADLINE_MILLISECONDS = 5000

/** What a request has cost so far, and how fresh the data was that it saw. */
export interface Meter {
  roundTrips: number
  rowsRead: number
  rowsWritten: number
  databaseMilliseconds: number
  hashMilliseconds: number
  /** The state of the database after the last round trip; a replica that has it is fresh enough. */
  bookmark?: string
  /** Whether the last round trip ended at the primary. */
  fromPrimary: boolean
}

export function createMeter(): Meter {
  return {
    roundTrips: 0,
    rowsRead: 0,
    rowsWritten: 0,
    databaseMilliseconds: 0,
    hashMilliseconds: 0,
    fromPrimary: false,
  }
}

/** What Drizzle needs of a prepared statement; D1 sees it when it is sent. */
interface Statement {
  query: string
  params: unknown[]
}

/**
 * Opens D1 for one request: every round trip is counted and has a deadline, and a failure is
 * `unavailable`, its text for the log alone. What was asked for may still happen after the
 * deadline; the statements are written to bear it.
 *
 * @param freshness Every round trip ends at the primary; with a bookmark, it may end at any replica
 *   that is as fresh.
 */
export function openDatabase(
  d1: D1Database,
  meter: Meter,
  deadlineMilliseconds?: number,
  freshness = 'first-primary',
): Database {
  async function trip(statements: Statement[]): Promise<D1Result[]> {
    // A session of its own for each: only the first trip of one is sure to end where it was told to.
    const session = d1.withSession(freshness)
    const start = performance.now()
    meter.roundTrips += 1
    try {
      const sent = statements.map(({ query, params }) => session.prepare(query).bind(...params))
      const results = await orUnavailable(session.batch(sent), deadlineMilliseconds)
      note(meter, results, session.getBookmark())
      return results
    } finally {
      meter.databaseMilliseconds += performance.now() - start
    }
  }
  function prepare(query: string, params: unknown[] = []) {
    const statement = { query, params }
    const all = async () => {
      const [result] = await trip([statement])
      return result
    }
    return {
      ...statement,
      bind: (...values: unknown[]) => prepare(query, values),
      run: all,
      all,
      raw: async () => (await all())?.results.map((row) => Object.values(row ?? {})),
    }
  }
  const own: Record<string | symbol, unknown> = { prepare, batch: trip }
  return drizzle(new Proxy(d1, { get: (target, name) => own[name] ?? Reflect.get(target, name) }))
}

/** What Drizzle can make the text of before it knows the values. */
interface Preparable extends BatchItem<'sqlite'> {
  prepare(): {
    getQuery(): { sql: string; params: unknown[] }
    mapResult(result: unknown, isFromBatch: boolean): unknown
  }
}

/** As Drizzle's `batch` uses a statement. */
interface Prepared<Query extends BatchItem<'sqlite'>> extends RunnableQuery<
  Query['_']['result'],
  'sqlite'
> {
  _prepare(): {
    getQuery(): Pick<Statement, 'params'>
    stmt: { bind(...params: unknown[]): Statement }
    mapResult(result: unknown): unknown
  }
}

/** Stands for a value that comes with each request. */
export type Value<Name extends string> = (name: Name) => Placeholder

/**
 * Makes the text of a statement once in the life of an isolate, for those that most requests send:
 * making it takes Drizzle longer than anything else that a request does here.
 *
 * @param build Is called with the first request's database; nothing is sent through that.
 * @returns What makes the statement of a request from its values, for a `batch`.
 */
export function prepareOnce<Name extends string, Query extends Preparable>(
  build: (db: Database, value: Value<Name>) => Query,
) {
  let made: { _: Query['_']; statement: ReturnType<Preparable['prepare']> } | undefined
  return (db: Database, values: Record<Name, number | string>): Prepared<Query> => {
    if (made === undefined) {
      const query = build(db, sql.placeholder)
      made = { _: query._, statement: query.prepare() }
    }
    const { _, statement } = made
    const { sql: query, params } = statement.getQuery()
    return {
      _,
      _prepare: () => ({
        getQuery: () => ({ params: fillPlaceholders(params, values) }),
        stmt: { bind: (...bound) => ({ query, params: bound }) },
        mapResult: (result) => statement.mapResult(result, true),
      }),
    }
  }
}

function note(meter: Meter, results: D1Result[], bookmark: string | null): void {
  for (const { meta } of results) {
    meter.rowsRead += meta.rows_read
    meter.rowsWritten += meta.rows_written
  }
  meter.fromPrimary = results.every(({ meta }) => meta.served_by_primary === true)
  if (bookmark !== null) meter.bookmark = bookmark
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
