import { fillPlaceholders, type Placeholder, type Query, type SQL, sql } from 'drizzle-orm'
import type { BatchItem, BatchResponse } from 'drizzle-orm/batch'
import {
  type SelectedFields,
  SQLiteDeleteBase,
  SQLiteInsertBuilder,
  SQLiteSelectBuilder,
  type SQLiteSession,
  type SQLiteTable,
  SQLiteUpdateBuilder,
} from 'drizzle-orm/sqlite-core'
import { mapResultRow } from 'drizzle-orm/utils'
import { createDialect } from './dialect.ts'

export type Database = ReturnType<typeof createDatabase>

/** Sends statements in one round trip, as one transaction. */
export type Trip = (statements: Query[]) => Promise<D1Result<Row>[]>

export type Row = Record<string, unknown>

type Session = SQLiteSession<'async', D1Result, never, never>

/** What is read of a row, in the order of its columns. */
type Fields = Parameters<typeof mapResultRow>[0]

const dialect = createDialect()

/**
 * Drizzle's query builders over D1. `drizzle-orm/d1` would bring along what nothing here uses
 * (transactions, relational queries, a cache, a logger): a twentieth of the bundle.
 */
export function createDatabase(trip: Trip) {
  const session = createSession(trip)
  return {
    select: <Selection extends SelectedFields>(fields: Selection) =>
      new SQLiteSelectBuilder<Selection, 'async', D1Result>({ fields, session, dialect }),
    insert: <Table extends SQLiteTable>(table: Table) =>
      new SQLiteInsertBuilder<Table, 'async', D1Result>(table, session, dialect),
    update: <Table extends SQLiteTable>(table: Table) =>
      new SQLiteUpdateBuilder<Table, 'async', D1Result>(table, session, dialect),
    delete: <Table extends SQLiteTable>(table: Table) =>
      new SQLiteDeleteBase<Table, 'async', D1Result>(table, session, dialect),
    /** The rows of a statement that no builder made. */
    all: async (statement: SQL): Promise<Row[]> => {
      const [result] = await trip([dialect.sqlToQuery(statement)])
      return result?.results ?? []
    },
    batch,
  }

  /** @returns What each of these queries would have returned alone. */
  async function batch<Item extends BatchItem<'sqlite'>, Items extends Readonly<[Item, ...Item[]]>>(
    queries: Items,
  ): Promise<BatchResponse<Items>>
  async function batch(queries: BatchItem<'sqlite'>[]): Promise<unknown[]> {
    const statements = queries.map(statementOf)
    const results = await trip(statements.map(({ query }) => query))
    return statements.map((statement, index) => statement.read(results[index]))
  }
}

/** Where a value goes that comes with each request. */
export type Slot<Name extends string> = (name: Name) => Placeholder

/** Makes statements that only a `batch` sends: it says where to. */
const drafts = createDatabase(() =>
  Promise.reject(new TypeError('a statement that is prepared once goes into a batch')),
)

/**
 * Makes the text of a statement once in the life of an isolate, for those that most requests send:
 * making it takes longer than anything else that a request does here.
 *
 * @returns What makes the statement of a request from its values, for a `batch`.
 */
export function prepareOnce<Name extends string, Item extends BatchItem<'sqlite'>>(
  build: (db: Database, slot: Slot<Name>) => Item,
) {
  let made: { _: Item['_']; statement: Statement } | undefined
  return (values: Record<Name, number | string>) => {
    if (made === undefined) {
      const query = build(drafts, sql.placeholder)
      made = { _: query._, statement: statementOf(query) }
    }
    const { _, statement } = made
    return { _, prepare: () => statement.with(values) }
  }
}

/** All that the builders call of a session; the type stands for a class, private parts and all. */
function createSession(trip: Trip): Session
function createSession(trip: Trip): object {
  const prepareQuery = (query: Query, fields?: Fields) => new Statement(trip, query, fields)
  return { prepareQuery, prepareOneTimeQuery: prepareQuery }
}

/** What the builders prepare, and run when they are awaited. */
class Statement {
  /** Which tables of a selection with joins are in every row; set by its builder. */
  joinsNotNullableMap: Record<string, boolean> | undefined
  readonly all = () => this.execute()
  readonly run = () => this.execute()
  readonly query: Query
  readonly #trip: Trip
  readonly #fields: Fields | undefined

  constructor(trip: Trip, query: Query, fields: Fields | undefined) {
    this.query = query
    this.#trip = trip
    this.#fields = fields
  }

  /** @returns The same with values for its placeholders. */
  with(values: Record<string, unknown>): Statement {
    const { sql: text, params } = this.query
    const query = { sql: text, params: fillPlaceholders(params, values) }
    const statement = new Statement(this.#trip, query, this.#fields)
    statement.joinsNotNullableMap = this.joinsNotNullableMap
    return statement
  }

  async execute(): Promise<unknown> {
    const [result] = await this.#trip([this.query])
    return this.read(result)
  }

  /** @returns The rows; what D1 says of a statement that has none. */
  read(result: D1Result<Row> | undefined): unknown {
    const fields = this.#fields
    if (fields === undefined) return result
    return result?.results.map((row) => {
      const values = Object.values(row)
      // D1 gives objects: of two columns with one name, one is gone and those after it have moved up.
      if (values.length !== fields.length) throw new TypeError('two columns have the same name')
      return mapResultRow(fields, values, this.joinsNotNullableMap)
    })
  }
}

/** @throws {TypeError} When this is no query of {@link createDatabase}. */
function statementOf(item: BatchItem<'sqlite'>): Statement {
  const statement: unknown =
    'prepare' in item && typeof item.prepare === 'function' ? item.prepare() : item
  if (statement instanceof Statement) return statement
  throw new TypeError('only queries of this database can go in a batch')
}
