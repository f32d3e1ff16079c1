import { type Database, readRows } from './database.ts'

/** The text of a query, which can be run without Drizzle. */
export interface QueryText {
  sql: string
  /** Those of each run have a name. */
  parameters: readonly ({ name: string } | { value: unknown })[]
}

export interface Fields {
  /** The names of the fields, in the order of the query. */
  names: readonly string[]
  /** Convert the fields that D1 stores in another form: truth values, which are 0 or 1, and JSON. */
  readers: Partial<Record<string, (stored: unknown) => unknown>>
}

/** Runs a query whose text is there already, in one round trip. */
export async function runText<Row extends object>(
  db: Database,
  text: QueryText,
  fields: Fields,
  values: Record<string, unknown>,
): Promise<Row[]>
export async function runText(
  db: Database,
  { sql, parameters }: QueryText,
  { names, readers }: Fields,
  values: Record<string, unknown>,
): Promise<object[]> {
  const sent = parameters.map((parameter) =>
    'name' in parameter ? (values[parameter.name] ?? null) : parameter.value,
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
