import { Placeholder } from 'drizzle-orm'
import { type Database, readRows } from './database.ts'

/** A query of Drizzle that has a placeholder for each value that differs between requests. */
interface Query<Row> {
  toSQL: () => { sql: string; params: unknown[] }
  readonly _: { readonly result: Row[] }
}

type Reader = (stored: unknown) => unknown

/**
 * Prepares a query. Drizzle builds its text once in each isolate, because building it for each
 * request takes more CPU than the rest of `GET /api/me` (docs/performance.md).
 *
 * @param names The fields of the query, in its order.
 * @param readers Convert the fields that D1 stores in another form: truth values, which are 0 or 1.
 * @returns A function that runs the query with the values of its placeholders.
 */
export function prepare<Row extends object>(
  build: (db: Database) => Query<Row>,
  names: readonly string[],
  readers: Record<string, Reader>,
): (db: Database, values: Record<string, unknown>) => Promise<Row[]>
export function prepare(
  build: (db: Database) => Query<object>,
  names: readonly string[],
  readers: Record<string, Reader>,
): (db: Database, values: Record<string, unknown>) => Promise<object[]> {
  let built: { sql: string; params: unknown[] } | undefined
  return async function run(db, values) {
    const { sql, params } = (built ??= build(db).toSQL())
    const sent = params.map((value) => (value instanceof Placeholder ? values[value.name] : value))
    const rows = await readRows(db, sql, sent)
    return rows.map((row) => {
      const stored = Object.values(row)
      const fields = names.map((name, i) => {
        const reader = readers[name]
        return [name, reader ? reader(stored[i]) : stored[i]] as const
      })
      return Object.fromEntries(fields)
    })
  }
}
