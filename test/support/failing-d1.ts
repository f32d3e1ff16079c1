import { env } from 'cloudflare:workers'
import { createMeter } from '../../src/core/database/database.ts'
import { openDatabase } from '../../src/core/database/open-database.ts'
import type { Deps } from '../../src/core/deps.ts'

/** A D1 whose round trips fail from this one on. */
export function failingDb(from: number): Deps['db'] {
  let trips = 0
  const d1 = new Proxy(env.DB, {
    get: (target, name) =>
      name === 'withSession' ? () => session(target.withSession('first-primary')) : undefined,
  })
  const session = (real: D1DatabaseSession): D1DatabaseSession => ({
    prepare: (query) => real.prepare(query),
    batch: (statements) =>
      ++trips >= from ? Promise.reject(new Error('D1 is down')) : real.batch(statements),
    getBookmark: () => real.getBookmark(),
  })
  return openDatabase(d1, createMeter())
}
