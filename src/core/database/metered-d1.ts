import type { DrizzleD1Database } from 'drizzle-orm/d1'
import { type Database, metered, type Meter, orUnavailable, whole } from './database.ts'

/**
 * Opens D1 for one request.
 *
 * @param drizzle Returns what makes Drizzle's database. It is called when that is first used: a
 *   query whose text is there already needs none.
 * @param freshness `first-primary` sends every round trip to the primary. A bookmark allows any
 *   replica that is at least as fresh.
 */
export function openWith(
  drizzle: () => (d1: D1Database) => DrizzleD1Database,
  d1: D1Database,
  meter: Meter,
  deadlineMilliseconds?: number,
  freshness = 'first-primary',
): Database {
  const client = new MeteredD1(d1, meter, freshness, deadlineMilliseconds)
  let made: DrizzleD1Database | undefined
  const all = () => (made ??= drizzle()(client))
  const { toSend, changes, admitted, owners } = meter
  return {
    get [whole]() {
      return all()
    },
    get select() {
      return all().select.bind(all())
    },
    get all() {
      return all().all.bind(all())
    },
    [metered]: client,
    toSend,
    changes,
    admitted,
    owners,
  }
}

/**
 * D1 as Drizzle's driver uses it: statements and batches. Every round trip is counted and has a
 * deadline. A failed trip throws `unavailable`, with D1's text for the log only. A write can still
 * happen after the deadline, so every statement is safe to repeat.
 */
class MeteredD1 implements D1Database {
  readonly #d1: D1Database
  readonly #meter: Meter
  readonly #freshness: string
  readonly #deadlineMilliseconds: number | undefined

  constructor(
    d1: D1Database,
    meter: Meter,
    freshness: string,
    deadlineMilliseconds: number | undefined,
  ) {
    this.#d1 = d1
    this.#meter = meter
    this.#freshness = freshness
    this.#deadlineMilliseconds = deadlineMilliseconds
  }

  prepare(query: string): D1PreparedStatement {
    return new MeteredStatement(this, query)
  }

  async batch<Row>(statements: D1PreparedStatement[]): Promise<D1Result<Row>[]> {
    // Only the first trip of a D1 session uses `freshness` for certain, so each trip opens its own session.
    const session = this.#d1.withSession(this.#freshness)
    const start = performance.now()
    this.#meter.roundTrips += 1
    try {
      const sent = statements.map((statement) => preparedIn(session, statement))
      const results = await orUnavailable(session.batch<Row>(sent), this.#deadlineMilliseconds)
      note(this.#meter, results, session.getBookmark())
      return results
    } finally {
      this.#meter.databaseMilliseconds += performance.now() - start
    }
  }

  exec = notMetered
  withSession = notMetered
  dump = notMetered
}

/** A statement that runs as a batch of one. */
class MeteredStatement implements D1PreparedStatement {
  readonly #database: MeteredD1
  readonly query: string
  readonly values: unknown[]

  constructor(database: MeteredD1, query: string, values: unknown[] = []) {
    this.#database = database
    this.query = query
    this.values = values
  }

  bind(...values: unknown[]): D1PreparedStatement {
    return new MeteredStatement(this.#database, this.query, values)
  }

  async all<Row>(): Promise<D1Result<Row>> {
    const [result] = await this.#database.batch<Row>([this])
    if (result === undefined) throw new TypeError('D1 answered a batch of one with nothing')
    return result
  }

  run<Row>(): Promise<D1Result<Row>> {
    return this.all<Row>()
  }

  raw<Row>(options: { columnNames: true }): Promise<[string[], ...Row[]]>
  raw<Row>(options?: { columnNames?: false }): Promise<Row[]>
  async raw(options?: { columnNames?: boolean }): Promise<unknown[]> {
    if (options?.columnNames) notMetered()
    const { results } = await this.all<Record<string, unknown>>()
    return results.map((row) => Object.values(row))
  }

  first = notMetered
}

function preparedIn(session: D1DatabaseSession, statement: D1PreparedStatement) {
  if (!(statement instanceof MeteredStatement))
    throw new TypeError('a statement of another database')
  return session.prepare(statement.query).bind(...statement.values)
}

/** @throws {TypeError} Always, because D1 would run this method without counting it. */
function notMetered(): never {
  throw new TypeError('this part of D1 is not metered: see database.ts')
}

function note(meter: Meter, results: D1Result[], bookmark: string | null): void {
  for (const { meta } of results) {
    meter.rowsRead += meta.rows_read
    meter.rowsWritten += meta.rows_written
  }
  meter.fromPrimary = results.every(({ meta }) => meta.served_by_primary === true)
  if (bookmark !== null) meter.bookmark = bookmark
}
