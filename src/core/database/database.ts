import { drizzle, type DrizzleD1Database } from 'drizzle-orm/d1'
import { Refusal } from '../base/refusals.ts'

const whole = Symbol('all of Drizzle')
const metered = Symbol('D1')

/**
 * A D1 database for reading through Drizzle. Each query is one round trip. `statements.ts` has
 * batches, and writes, which need an authority.
 */
export interface Database extends Pick<DrizzleD1Database, 'select' | 'all'> {
  readonly [whole]: DrizzleD1Database
  readonly [metered]: D1Database
  /** Logouts and mails that the writes so far leave to be sent. `runBatch` adds to it. */
  readonly toSend: Set<ToSend>
  /** The columns or tables that the writes so far were made to change. `writing` adds to it. */
  readonly changes: Set<string>
  /** The sessions and app passwords that were let in (`credentialOf`). `actAs` adds to it. */
  readonly admitted: Set<string>
  /** The owners of app passwords that were shown, by the hash. `actAs` adds to it. */
  readonly owners: Map<string, number>
}

/** Logouts that programs must hear of, and mails to users. */
export type ToSend = 'logouts' | 'mails'

/** Returns the full Drizzle database, writes included. Only `statements.ts` uses it. */
export function drizzleOf(db: Database): DrizzleD1Database {
  return db[whole]
}

/** Runs a query that is text already, in one round trip. Only `prepared.ts` uses it. */
export async function readRows(
  db: Database,
  text: string,
  values: unknown[],
): Promise<Record<string, unknown>[]> {
  const { results } = await db[metered]
    .prepare(text)
    .bind(...values)
    .all()
  return results
}

/** Milliseconds that a request waits for D1 or another service. */
const DEADLINE_MILLISECONDS = 5000

/** The cost of a request so far, the freshness of the data that it read, and what it leaves. */
export interface Meter {
  roundTrips: number
  rowsRead: number
  rowsWritten: number
  databaseMilliseconds: number
  hashMilliseconds: number
  /** The state of the database after the last round trip. A replica with this state is fresh enough. */
  bookmark?: string
  /** True when the primary answered the last round trip. */
  fromPrimary: boolean
  /** Logouts and mails that the writes so far leave to be sent after the answer. */
  toSend: Set<ToSend>
  /**
   * The columns that writes may have changed, such as `users.username`; the table where rows were
   * deleted.
   */
  changes: Set<string>
  /** The credentials that D1 has let in during this request. */
  admitted: Set<string>
  /** The owners of app passwords that were shown, by the hash. */
  owners: Map<string, number>
}

export function createMeter(): Meter {
  return {
    roundTrips: 0,
    rowsRead: 0,
    rowsWritten: 0,
    databaseMilliseconds: 0,
    hashMilliseconds: 0,
    fromPrimary: false,
    toSend: new Set(),
    changes: new Set(),
    admitted: new Set(),
    owners: new Map(),
  }
}

/**
 * Opens D1 for one request. Every round trip is counted and has a deadline. A failed trip throws
 * `unavailable`, with D1's text for the log only. A write can still happen after the deadline, so
 * every statement is safe to repeat.
 *
 * @param freshness `first-primary` sends every round trip to the primary. A bookmark allows any
 *   replica that is at least as fresh.
 */
export function openDatabase(
  d1: D1Database,
  meter: Meter,
  deadlineMilliseconds?: number,
  freshness = 'first-primary',
): Database {
  const client = new MeteredD1(d1, meter, freshness, deadlineMilliseconds)
  const db = drizzle(client)
  return Object.assign(db, {
    [whole]: db,
    [metered]: client,
    toSend: meter.toSend,
    changes: meter.changes,
    admitted: meter.admitted,
    owners: meter.owners,
  })
}

/** D1 as Drizzle's driver uses it: statements and batches, each sent by `#trip`. */
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

/**
 * @throws {Refusal} `unavailable` when the promise rejects or takes longer than `deadline`
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
