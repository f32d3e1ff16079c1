import { type SQL, sql, type SQLWrapper } from 'drizzle-orm'
import { SQLiteAsyncDialect } from 'drizzle-orm/sqlite-core'

const dialect = new SQLiteAsyncDialect()

/**
 * Renders a piece of SQL to its text, once for all the statements it stands in: Drizzle takes time
 * for each part of a piece. The first of these statements does it, so that no start waits for it.
 *
 * @param build Is called by the first statement.
 * @throws {Error} In the first statement, for a piece with values, which differ between statements.
 */
export function rendered(build: () => SQL): SQL {
  let text: SQL | undefined
  const whenUsed: SQLWrapper = {
    getSQL: () => (text ??= render(build())),
    shouldOmitSQLParens: () => true,
  }
  return sql.join([whenUsed])
}

function render(piece: SQL): SQL {
  const { sql: text, params } = dialect.sqlToQuery(piece)
  if (params.length > 0) throw new Error(`this piece has values: ${text}`)
  return sql.raw(text)
}
