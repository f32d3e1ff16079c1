import { type SQL, sql } from 'drizzle-orm'
import { SQLiteAsyncDialect } from 'drizzle-orm/sqlite-core'

const dialect = new SQLiteAsyncDialect()

/**
 * Renders a piece of SQL to its text, once for all the statements it stands in: Drizzle takes time
 * for each part of a piece.
 *
 * @throws {Error} For a piece with values, which differ between statements.
 */
export function rendered(piece: SQL): SQL {
  const { sql: text, params } = dialect.sqlToQuery(piece)
  if (params.length > 0) throw new Error(`this piece has values: ${text}`)
  return sql.raw(text)
}
