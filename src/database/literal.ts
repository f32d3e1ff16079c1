import { type SQL, sql } from 'drizzle-orm'

/** Writes a value into the text of a statement, where a parameter would have SQLite compile anew. */
export function literal(value: string | number): SQL {
  return sql.raw(typeof value === 'string' ? `'${value.replaceAll("'", "''")}'` : String(value))
}

/** Writes values as a list: `('a', 'b')`. */
export function literals(values: readonly (string | number)[]): SQL {
  return sql`(${sql.join(values.map(literal), sql`, `)})`
}
