import { env } from 'cloudflare:workers'
import { createMeter } from '../../src/core/database/database.ts'
import { openDatabase } from '../../src/core/database/open-database.ts'
import type { Deps } from '../../src/core/deps.ts'

/** A database before whose second round trip something else happens. */
export function dbWithPause(between: () => Promise<unknown>): Deps['db'] {
  let trips = 0
  const session = (real: D1DatabaseSession): D1DatabaseSession => ({
    prepare: (query) => real.prepare(query),
    batch: async (statements) => {
      trips++
      if (trips === 2) await between()
      return real.batch(statements)
    },
    getBookmark: () => real.getBookmark(),
  })
  const d1 = new Proxy(env.DB, {
    get: (target, name) =>
      name === 'withSession' ? () => session(target.withSession('first-primary')) : undefined,
  })
  return openDatabase(d1, createMeter())
}
