import type { DrizzleD1Database } from 'drizzle-orm/d1'
import { Refusal } from '../base/refusals.ts'

/** The members of a database that only its own files use. */
export const whole = Symbol('all of Drizzle')
export const metered = Symbol('D1')

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
   * deleted, and with a plus, where rows were inserted.
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
