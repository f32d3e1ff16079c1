import { type Column, getTableColumns, getTableName, is, Param, SQL, sql, Table } from 'drizzle-orm'
import type { CasingCache } from 'drizzle-orm/casing'
import type { SQLChunk } from 'drizzle-orm/sql'
import type { SQLiteDialect, SQLiteTable } from 'drizzle-orm/sqlite-core'
import { orderSelectedFields } from 'drizzle-orm/utils'

type Delete = Parameters<SQLiteDialect['buildDeleteQuery']>[0]
type Update = Parameters<SQLiteDialect['buildUpdateQuery']>[0]
type Insert = Parameters<SQLiteDialect['buildInsertQuery']>[0]
type Select = Parameters<SQLiteDialect['buildSelectQuery']>[0]
type Fields = ReturnType<typeof orderSelectedFields>

/**
 * Writes as SQL what Drizzle's builders hold. Drizzle's own dialect also knows relational queries,
 * common table expressions, unions and migrations: 4 % of the bundle. What a builder may hold and
 * this doesn't know is refused, never left out.
 */
export function createDialect(): SQLiteDialect
export function createDialect(): object {
  return {
    sqlToQuery: (statement: SQL) => statement.toQuery(writing),
    buildDeleteQuery,
    buildUpdateSet,
    buildUpdateQuery,
    buildInsertQuery,
    buildSelectQuery,
  }
}

/** How names and values are written; a text never is, because values are parameters. */
const writing = {
  casing: createCasing(),
  escapeName: (name: string) => `"${name.replaceAll('"', '""')}"`,
  escapeParam: () => '?',
  escapeString: refuse,
}

/** Every column says its name, so none is made of a property's. */
function createCasing(): CasingCache
function createCasing(): object {
  return { getColumnCasing: ({ name }: Column) => name }
}

function buildDeleteQuery({ table, where, returning, ...others }: Delete): SQL {
  refuseAny(others)
  return sql`delete from ${table}${clause('where', where)}${clause('returning', selected(returning))}`
}

function buildUpdateQuery({ table, set, where, returning, ...others }: Update): SQL {
  refuseAny(others)
  const assignments = clause('set', buildUpdateSet(table, set))
  return sql`update ${table}${assignments}${clause('where', where)}${clause('returning', selected(returning))}`
}

function buildUpdateSet(table: SQLiteTable, set: Update['set']): SQL | undefined {
  const changed = columnsOf(table).filter(([key]) => set[key] !== undefined)
  return list(changed.map(([key, { name }]) => sql`${sql.identifier(name)} = ${set[key]}`))
}

function buildInsertQuery({ table, values, onConflict, returning, ...others }: Insert): SQL {
  refuseAny({ ...others, select: undefined })
  const columns = columnsOf(table)
  const names = columns.map(([, { name }]) => sql.identifier(name))
  const rows = Array.isArray(values)
    ? clause('values', list(values.map((row) => columns.map((column) => valueIn(row, column)))))
    : sql` ${values.getSQL()}`
  const conflicts = onConflict && sql.join(onConflict)
  return sql`insert into ${table} ${names}${rows}${conflicts}${clause('returning', selected(returning))}`
}

/** @returns What a new row says of a column; else, what the column says. */
function valueIn(row: Record<string, Param | SQL>, [key, column]: [string, Column]): SQLChunk {
  const value = row[key]
  if (value !== undefined && !(is(value, Param) && value.value === undefined)) return value
  return is(column.default, SQL) ? column.default : sql.param(column.default ?? null, column)
}

function buildSelectQuery({
  table,
  fields,
  where,
  joins = [],
  groupBy,
  orderBy,
  limit,
  offset,
  ...others
}: Select): SQL {
  refuseAny(others)
  const joined = joins.map(
    (join) => sql` ${sql.raw(join.joinType)} join ${source(join.table)}${clause('on', join.on)}`,
  )
  const order = [
    clause('group by', list(groupBy)),
    clause('order by', list(orderBy)),
    limit === undefined ? undefined : sql` limit ${limit}`,
    offset ? sql` offset ${offset}` : undefined,
  ]
  return sql`select ${selected(orderSelectedFields(fields))} from ${source(table)}${sql.join(joined)}${clause('where', where)}${sql.join(order)}`
}

/** A table, with the name that the query has for it. */
function source(table: Select['table']): SQLChunk {
  if (!is(table, Table)) return table
  const original = String(Reflect.get(table, Symbol.for('drizzle:OriginalName')))
  const name = getTableName(table)
  return sql`${sql.identifier(original)}${original === name ? undefined : sql` ${sql.identifier(name)}`}`
}

function selected(fields: Fields | undefined): SQL | undefined {
  const written = fields?.map(({ field }) =>
    is(field, SQL.Aliased) ? sql`${field.sql} as ${sql.identifier(field.fieldAlias)}` : field,
  )
  return list(written)
}

function columnsOf(table: SQLiteTable): [string, Column][] {
  const columns = Object.entries(getTableColumns(table))
  for (const [, { defaultFn, onUpdateFn, generated }] of columns)
    refuseAny({ defaultFn, onUpdateFn, generated })
  return columns
}

function list(parts: SQLChunk[] = []): SQL | undefined {
  return parts.length === 0 ? undefined : sql.join(parts, sql.raw(', '))
}

function clause(word: string, content: SQL | undefined): SQL | undefined {
  return content && sql`${sql.raw(` ${word} `)}${content}`
}

/** @throws {Error} When a builder holds more than what is written. */
function refuseAny(others: Record<string, unknown>): void {
  for (const [name, other] of Object.entries(others)) {
    if (Array.isArray(other) ? other.length > 0 : other !== undefined) refuse(name)
  }
}

function refuse(what: string): never {
  throw new Error(`${what}: not in this dialect, see drizzle/dialect.ts`)
}
