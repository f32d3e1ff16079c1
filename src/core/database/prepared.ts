import { Placeholder } from 'drizzle-orm'
import { type Database, readRows } from './database.ts'

/** Values, or placeholders for them. */
export type Given<Values> = { [Name in keyof Values]: Values[Name] | Placeholder }

/** A query that Drizzle has made. */
interface Query<Row> {
  toSQL: () => { sql: string; params: unknown[] }
  readonly _: { readonly result: Row[] }
}

interface Fields {
  /** The names of the fields, in the order of the query. */
  names: readonly string[]
  /** Convert the fields that D1 stores in another form: truth values, which are 0 or 1, and JSON. */
  readers: Partial<Record<string, (stored: unknown) => unknown>>
}

/**
 * Prepares a query. Drizzle builds its text once in each isolate, because building it for each
 * request takes more CPU than the rest of `GET /api/me` (docs/performance.md).
 *
 * @param build Puts a placeholder wherever the value differs between requests.
 * @returns A function that runs the query with the values of the placeholders.
 */
export function prepare<Row extends object>(
  build: (db: Database) => Query<Row>,
  fields: Fields,
): (db: Database, values: Record<string, unknown>) => Promise<Row[]>
export function prepare(
  build: (db: Database) => Query<object>,
  { names, readers }: Fields,
): (db: Database, values: Record<string, unknown>) => Promise<object[]> {
  let built: { sql: string; params: unknown[] } | undefined
  return async function run(db, values) {
    const { sql, params } = (built ??= build(db).toSQL())
    const sent = params.map((param) =>
      param instanceof Placeholder ? (values[param.name] ?? null) : param,
    )
    const rows = await readRows(db, sql, sent)
    return rows.map((row) => {
      const stored = Object.values(row)
      const read = names.map((name, i) => {
        const reader = readers[name]
        return [name, reader ? reader(stored[i]) : stored[i]] as const
      })
      return Object.fromEntries(read)
    })
  }
}
