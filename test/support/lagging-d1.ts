import { applyD1Migrations } from 'cloudflare:test'
import { env } from 'cloudflare:workers'

declare global {
  namespace Cloudflare {
    interface Env {
      /** Stands for a replica of `DB` (vitest.config.ts). */
      REPLICA: D1Database
    }
  }
}

/** Parents before children. */
const TABLES = ['users', 'sessions', 'ssh_keys', 'audit_events', 'throttle_counters'] as const

/**
 * A D1 whose replica learns nothing until `replicate`. As in D1, a session that begins with a
 * bookmark ends at the replica if that is as fresh, and at the primary otherwise.
 */
export class LaggingD1 {
  /** The queries that each has got. */
  readonly asked: Record<'primary' | 'replica', string[]> = { primary: [], replica: [] }
  /** Makes the replica fail. */
  isReplicaDown = false
  readonly binding: D1Database
  #replicaBookmark = ''

  constructor() {
    const withSession = (constraint = 'first-unconstrained') => this.#session(constraint)
    this.binding = new Proxy(env.DB, {
      get: (_, name) => (name === 'withSession' ? withSession : undefined),
    })
  }

  /** Lets the replica catch up. */
  async replicate(): Promise<void> {
    await applyD1Migrations(env.REPLICA, env.TEST_MIGRATIONS)
    const session = env.DB.withSession('first-primary')
    const copies: D1PreparedStatement[] = []
    for (const table of TABLES) {
      const { results } = await session.prepare(`select * from ${table}`).all()
      for (const row of results) {
        const marks = Object.keys(row).map(() => '?')
        const insert = env.REPLICA.prepare(`insert into ${table} values (${marks.join()})`)
        copies.push(insert.bind(...Object.values(row)))
      }
    }
    const deletions = TABLES.toReversed().map((table) =>
      env.REPLICA.prepare(`delete from ${table}`),
    )
    await env.REPLICA.batch([...deletions, ...copies])
    this.#replicaBookmark = session.getBookmark() ?? ''
  }

  /** Forgets what was asked. */
  forget(): void {
    this.asked.primary = []
    this.asked.replica = []
  }

  #session(constraint: string): D1DatabaseSession {
    const isFreshEnough =
      constraint === 'first-unconstrained' ||
      (constraint !== 'first-primary' && constraint <= this.#replicaBookmark)
    const place = isFreshEnough ? 'replica' : 'primary'
    const real = isFreshEnough ? env.REPLICA : env.DB.withSession('first-primary')
    return {
      prepare: (query) => {
        this.asked[place].push(query)
        return real.prepare(query)
      },
      batch: async <Row>(statements: D1PreparedStatement[]) => {
        if (isFreshEnough && this.isReplicaDown) throw new Error('D1_ERROR: replica is away')
        const results = await real.batch<Row>(statements)
        for (const { meta } of results) meta.served_by_primary = !isFreshEnough
        return results
      },
      getBookmark: () => ('getBookmark' in real ? real.getBookmark() : this.#replicaBookmark),
    }
  }
}
