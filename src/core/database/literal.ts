import { type SQL, sql } from 'drizzle-orm'

/** Returns a value as SQLite reads it in the text of a statement. */
export function literalText(value: string | number | null): string {
  return typeof value === 'string' ? `'${value.replaceAll("'", "''")}'` : String(value)
}

/** Writes a value of this program into the text of a statement, in the place of a parameter. */
export function literal(value: string | number): SQL {
  return sql.raw(literalText(value))
}

/** Writes values as a list: `('a', 'b')`. It is one text: Drizzle takes time for each piece. */
export function literals(values: readonly (string | number)[]): SQL {
  return sql.raw(`(${values.map(literalText).join(', ')})`)
}
