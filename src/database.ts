import type { Query } from 'drizzle-orm'
import { createDatabase, type Database, type Row } from './drizzle/builders.ts'
import { Refusal } from './refusals.ts'

export { type Database, prepareOnce, type Slot } from './drizzle/builders.ts'

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
  async function trip(statements: Query[]): Promise<D1Result<Row>[]> {
    // A session of its own for each: only the first trip of one is sure to end where it was told to.
    const session = d1.withSession(freshness)
    const start = performance.now()
    meter.roundTrips += 1
    try {
      const sent = statements.map(({ sql, params }) => session.prepare(sql).bind(...params))
      const results = await orUnavailable(session.batch<Row>(sent), deadlineMilliseconds)
      note(meter, results, session.getBookmark())
      return results
    } finally {
      meter.databaseMilliseconds += performance.now() - start
    }
  }
  return createDatabase(trip)
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
