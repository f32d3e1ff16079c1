import { Placeholder } from 'drizzle-orm'
import type { Database } from './database.ts'
import { type Fields, type QueryText, runText } from './query-text.ts'

/** Values, or placeholders for them. */
export type Given<Values> = { [Name in keyof Values]: Values[Name] | Placeholder }

/** A query that Drizzle has made. */
interface Query<Row> {
  toSQL: () => { sql: string; params: unknown[] }
  readonly _: { readonly result: Row[] }
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
  fields: Fields,
): (db: Database, values: Record<string, unknown>) => Promise<object[]> {
  let text: QueryText | undefined
  return (db, values) => runText(db, (text ??= textOf(build(db))), fields, values)
}

/** Returns the text of a query. */
export function textOf(query: Query<object>): QueryText {
  const { sql, params } = query.toSQL()
  const parameters = params.map((param) =>
    param instanceof Placeholder ? { name: param.name } : { value: param },
  )
  return { sql, parameters }
}
