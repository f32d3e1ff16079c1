import { isDeepStrictEqual } from 'node:util'
import { SQLiteAsyncDialect } from 'drizzle-orm/sqlite-core'
import type { QueryText } from './query-text.ts'
import { type Parts, sqlOf } from './statements.ts'

const dialect = new SQLiteAsyncDialect()

/** Values of parameters by name. */
export type NamedValues = Readonly<Record<string, string | number>>

/**
 * Returns the text of statements, whose parameters have the names of the values they were built
 * with. They are built twice, from samples whose values differ: what is the same in both is a part
 * of the statement.
 *
 * @param valuesOf Returns the values of a sample, no two of which are the same.
 * @throws {Error} When a parameter differs between the samples and is none of these values.
 */
export function namedTexts<Sample, Built extends Parts>(
  samples: readonly [Sample, Sample],
  build: (sample: Sample) => Built,
  valuesOf: (sample: Sample) => NamedValues,
): Record<keyof Built, QueryText>
export function namedTexts<Sample>(
  [first, second]: readonly [Sample, Sample],
  build: (sample: Sample) => Parts,
  valuesOf: (sample: Sample) => NamedValues,
): Record<string, QueryText> {
  const texts = textsWith(build(first), valuesOf(first))
  const again = textsWith(build(second), valuesOf(second))
  for (const [part, { sql, parameters }] of Object.entries(texts)) {
    if (sql !== again[part]?.sql) throw new Error(`the text of ${part} depends on its values`)
    const unnamed = parameters.find(
      (one, place) => !isDeepStrictEqual(one, again[part]?.parameters[place]),
    )
    if (unnamed !== undefined)
      throw new Error(`${part} has a parameter without a name: ${JSON.stringify(unnamed)}`)
  }
  return texts
}

function textsWith(statements: Parts, values: NamedValues): Record<string, QueryText> {
  const names = new Map<unknown, string>(
    Object.entries(values).map(([name, value]) => [value, name]),
  )
  if (names.size < Object.keys(values).length) throw new Error('two values are the same')
  const texts = Object.entries(statements).flatMap(([part, statement]) => {
    if (statement === undefined) return []
    const { sql, params } = dialect.sqlToQuery(sqlOf(statement))
    const parameters = params.map((value) => {
      const name = names.get(value)
      return name === undefined ? { value } : { name }
    })
    return [[part, { sql, parameters }] as const]
  })
  return Object.fromEntries(texts)
}
