import {
  and,
  type Column,
  getTableColumns,
  getTableName,
  isSQLWrapper,
  type SQL,
  sql,
  type SQLWrapper,
} from 'drizzle-orm'
import type { BatchItem } from 'drizzle-orm/batch'
import type { RunnableQuery } from 'drizzle-orm/runnable-query'
import type { SQLiteTable, SQLiteUpdateSetSource } from 'drizzle-orm/sqlite-core'
import { type Database, drizzleOf, type ToSend } from './database.ts'

declare const authority: unique symbol

/**
 * A condition on the actor: a live session, an operator, a server or the service itself. Every
 * write carries one, because `writing` is the only way to make a write and requires it.
 */
export type Authority = SQL & { readonly [authority]: true }

/** Declares that a condition checks the actor. Only functions that check an actor call this. */
export function asAuthority(condition: SQL): Authority
export function asAuthority(condition: SQL): SQL {
  return condition
}

/**
 * The service acts for itself: in the nightly run, for its counters, and before a user is signed
 * in.
 */
export const THE_SERVICE = asAuthority(sql`true`)

/** The values of a new row, by the names of the table's columns. */
type NewRow<Table extends SQLiteTable> = {
  [Name in keyof Table['$inferInsert']]: Table['$inferInsert'][Name] | SQLWrapper
}

/** The source of a new row, and a further condition on it. */
interface Source {
  /** Rows whose columns the new row uses. Each row that fits becomes a new row. */
  from?: SQLiteTable | SQL
  where?: SQL | undefined
}

/**
 * Makes statements that change nothing unless `by` holds.
 *
 * The condition is read when the statement runs. A statement that makes it false, such as the end
 * of the session, stands last in its batch.
 */
export function writing(db: Database, by: Authority) {
  const drizzle = drizzleOf(db)
  return {
    insert: <Table extends SQLiteTable>(table: Table, row: NewRow<Table>, source: Source = {}) => {
      db.changes.add(`${getTableName(table)}+`)
      const { from = sql`(select 1)`, where } = source
      const values = sql.join(inColumnOrder(table, row), sql`, `)
      const selected = sql`select ${values} from ${from} where ${withAuthority(by, where)}`
      return drizzle.insert(table).select(selected)
    },
    update: <Table extends SQLiteTable>(
      table: Table,
      // oxlint-disable-next-line typescript/no-generated-empty-object-type -- Empty for the widest table only.
      set: SQLiteUpdateSetSource<Table>,
      where: SQL | undefined,
    ) => {
      for (const column of Object.keys(set)) db.changes.add(`${getTableName(table)}.${column}`)
      return drizzle.update(table).set(set).where(withAuthority(by, where))
    },
    delete: <Table extends SQLiteTable>(table: Table, where?: SQL) => {
      db.changes.add(getTableName(table))
      return drizzle.delete(table).where(withAuthority(by, where))
    },
  }
}

/**
 * Leaves out `true` beside another condition. It stays where it is the only one, because after an
 * `insert … select` without `where`, SQLite takes `on conflict` for the condition of a join.
 */
function withAuthority(by: Authority, where: SQL | undefined): SQL | undefined {
  return by === THE_SERVICE && where !== undefined ? where : and(by, where)
}

/** Sorts a row into the table's column order, because `insert … select` matches columns by position. */
function inColumnOrder(table: SQLiteTable, row: Record<string, unknown>) {
  const columns: [string, Column][] = Object.entries(getTableColumns(table))
  return columns.map(([name, column]) => valueOf(row[name], column))
}

/** Returns the value as the column stores it, or the column's default when there is no value. */
function valueOf(value: unknown, column: Column) {
  return isSQLWrapper(value) ? value : sql.param(value ?? column.default ?? null, column)
}

/**
 * A write that leaves something to be sent. It can't be awaited: only `runBatch` runs it, which
 * notes what it leaves.
 */
class SendingWrite<Result> implements RunnableQuery<Result, 'sqlite'> {
  declare readonly _: { readonly dialect: 'sqlite'; readonly result: Result }
  readonly statement: RunnableQuery<Result, 'sqlite'>
  readonly toSend: ToSend

  constructor(statement: RunnableQuery<Result, 'sqlite'>, toSend: ToSend) {
    this.statement = statement
    this.toSend = toSend
  }
}

/** Says that a write, where it changes a row, leaves something to be sent. */
export function sendingAfter<Result>(
  toSend: ToSend,
  statement: RunnableQuery<Result, 'sqlite'>,
): RunnableQuery<Result, 'sqlite'> {
  return new SendingWrite(statement, toSend)
}

/** Returns the SQL of a statement. */
export function sqlOf(part: BatchItem<'sqlite'>): SQL {
  const statement = part instanceof SendingWrite ? part.statement : part
  if (!isSQLWrapper(statement)) throw new TypeError('this statement has no SQL')
  return statement.getSQL()
}

/** The returned rows, or D1's result for a write that returns none. */
type Answer = unknown[] | D1Result

function hasChanged(answer: Answer): boolean {
  return Array.isArray(answer) ? answer.length > 0 : answer.meta.changes > 0
}

/** Statements of a batch by name. A part is `undefined` when a request doesn't need it. */
export type Parts = Record<string, BatchItem<'sqlite'> | undefined>

/** The answer of each part under its name: rows, or D1's result for a write that returns none. */
export type Answers<Named extends Parts> = {
  [Name in keyof Named]: Named[Name] extends BatchItem<'sqlite'>
    ? Named[Name]['_']['result']
    : NonNullable<Named[Name]>['_']['result'] | undefined
}

/** Runs statements in order, in one transaction and one round trip. */
export async function runBatch<Named extends Parts>(
  db: Database,
  parts: Named,
): Promise<Answers<Named>>
export async function runBatch(db: Database, parts: Parts): Promise<Record<string, unknown>> {
  const named = Object.entries(parts).flatMap(([name, statement]) =>
    statement === undefined ? [] : [{ name, statement }],
  )
  const [first, ...rest] = named.map(({ statement }) =>
    statement instanceof SendingWrite ? statement.statement : statement,
  )
  if (first === undefined) return {}
  const answers: Answer[] = await drizzleOf(db).batch([first, ...rest])
  for (const [index, answer] of answers.entries()) {
    const statement = named[index]?.statement
    if (statement instanceof SendingWrite && hasChanged(answer)) db.toSend.add(statement.toSend)
  }
  return Object.fromEntries(named.map(({ name }, index) => [name, answers[index]]))
}

/** Works like `runBatch`, with parts before the others. Their answers are apart. */
export async function runBatchAfter<First extends Parts, Named extends Parts>(
  db: Database,
  first: First,
  parts: Named,
): Promise<[Answers<First>, Answers<Named>]>
export async function runBatchAfter(
  db: Database,
  first: Parts,
  parts: Parts,
): Promise<[Record<string, unknown>, Record<string, unknown>]> {
  const renamed = Object.entries(first).map(([name, part]) => [`before ${name}`, part] as const)
  const answers: Record<string, unknown> = await runBatch(db, {
    ...Object.fromEntries(renamed),
    ...parts,
  })
  const answersOfFirst = Object.keys(first).map(
    (name) => [name, answers[`before ${name}`]] as const,
  )
  return [Object.fromEntries(answersOfFirst), answers]
}
