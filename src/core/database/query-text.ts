import { type Database, metered } from './database.ts'

/** The text of a query, which can be run without Drizzle. */
export interface QueryText {
  sql: string
  /** Those of each run have a name. */
  parameters: readonly ({ name: string } | { value: unknown })[]
}

/** A row as D1 returns it. */
type Row = Record<string, unknown>

export interface Fields {
  /** The names of the fields, in the order of the query. */
  names: readonly string[]
  /** Convert the fields that D1 stores in another form: truth values, which are 0 or 1, and JSON. */
  readers: Partial<Record<string, (stored: unknown) => unknown>>
}

/** Runs a query whose text is there already, in one round trip. */
export async function runText<Fielded extends object>(
  db: Database,
  text: QueryText,
  fields: Fields,
  values: Record<string, unknown>,
): Promise<Fielded[]>
export async function runText(
  db: Database,
  text: QueryText,
  fields: Fields,
  values: Record<string, unknown>,
): Promise<object[]> {
  const { rows } = await runTexts(db, { rows: text }, values)
  return readFields(rows, fields)
}

/** Runs statements in order, in one transaction and one round trip. @returns The rows of each. */
export async function runTexts<Name extends string>(
  db: Database,
  texts: Readonly<Record<Name, QueryText>>,
  values: Readonly<Record<string, unknown>>,
): Promise<Record<Name, Row[]>>
export async function runTexts(
  db: Database,
  texts: Readonly<Record<string, QueryText>>,
  values: Readonly<Record<string, unknown>>,
): Promise<Record<string, Row[]>> {
  const d1 = db[metered]
  const statements = Object.values(texts).map(({ sql, parameters }) =>
    d1.prepare(sql).bind(...parametersWith(parameters, values)),
  )
  const answers = await d1.batch<Row>(statements)
  return Object.fromEntries(
    Object.keys(texts).map((name, place) => [name, answers[place]?.results ?? []]),
  )
}

/**
 * Returns the parameters of a run.
 *
 * @throws {TypeError} For a name without a value.
 */
export function parametersWith(
  parameters: QueryText['parameters'],
  values: Readonly<Record<string, unknown>>,
): unknown[] {
  return parameters.map((parameter) => {
    if (!('name' in parameter)) return parameter.value
    const { name } = parameter
    if (!Object.hasOwn(values, name)) throw new TypeError(`a statement needs a value for ${name}`)
    return values[name] ?? null
  })
}

/** Returns rows with the names of their fields. */
export function readFields<Fielded extends object>(rows: readonly Row[], fields: Fields): Fielded[]
export function readFields(rows: readonly Row[], { names, readers }: Fields): object[] {
  return rows.map((row) => {
    const stored = Object.values(row)
    const read = names.map((name, i) => {
      const reader = readers[name]
      return [name, reader ? reader(stored[i]) : stored[i]] as const
    })
    return Object.fromEntries(read)
  })
}
