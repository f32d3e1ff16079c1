import { existsSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import type { DatabaseSync } from 'node:sqlite'
import { CommandError } from '../command-error.ts'
import type { RawRow, Source } from './source.ts'

/** Offset in the header, and its value in a database with a write-ahead log. */
const READ_VERSION_OFFSET = 19
const WAL = 2
/** The prefix of OpenList and AList unless their configuration names another. */
const DEFAULT_PREFIX = 'x_'
/** @see https://www.sqlite.org/rescode.html */
const SQLITE_CANTOPEN = 14

/**
 * Reads the tables of OpenList or AList, of any version; never writes the file. Tables and columns
 * that an older version lacks are missing in the result.
 *
 * @throws {CommandError} When the table of users is missing, or the database can't be read.
 */
export async function readDatabase(path: string, header: Buffer): Promise<Source> {
  const { DatabaseSync } = await importQuietly()
  try {
    const database = new DatabaseSync(locate(path, header), { readOnly: true })
    try {
      const prefix = findPrefix(path, database)
      return {
        kind: 'database',
        users: readTable(database, `${prefix}users`),
        keys: readTable(database, `${prefix}ssh_public_keys`),
        settings: readTable(database, `${prefix}setting_items`),
      }
    } finally {
      database.close()
    }
  } catch (error) {
    if (error instanceof CommandError || !(error instanceof Error)) throw error
    const hint =
      'errcode' in error && error.errcode === SQLITE_CANTOPEN
        ? '; copy it, together with its -wal file, into a folder that you may write'
        : ''
    throw new CommandError(`Can't read ${path}: ${error.message}${hint}.`)
  }
}

/**
 * Returns the URL for SQLite. To read a write-ahead log, SQLite creates a file for locks beside it.
 * Without a log, the database is opened as immutable, so that no file is created.
 */
function locate(path: string, header: Buffer): ReturnType<typeof pathToFileURL> {
  const url = pathToFileURL(path)
  const hasLog = existsSync(`${path}-wal`)
  if (header[READ_VERSION_OFFSET] === WAL && !hasLog) url.searchParams.set('immutable', '1')
  return url
}

function findPrefix(path: string, database: DatabaseSync): string {
  const prefixes = database
    .prepare(
      `select substr(name, 1, length(name) - length('users')) as prefix from sqlite_schema
       where type = 'table' and name like '%users' and exists
         (select 1 from pragma_table_info(sqlite_schema.name) where name = 'base_path')`,
    )
    .all()
    .map(({ prefix }) => String(prefix))
  const [only, another] = prefixes
  if (only === undefined)
    throw new CommandError(`${path} has no table of users of OpenList or AList.`)
  if (another === undefined) return only
  if (prefixes.includes(DEFAULT_PREFIX)) return DEFAULT_PREFIX
  throw new CommandError(
    `${path} holds several sites (${prefixes.join(', ')}): make a copy with only one set of tables.`,
  )
}

function readTable(database: DatabaseSync, table: string): RawRow[] {
  const exists = database.prepare(`select 1 from sqlite_schema where type = 'table' and name = ?`)
  if (exists.get(table) === undefined) return []
  const rows = database.prepare(`select * from "${table.replaceAll('"', '""')}" order by rowid`)
  // Otherwise an integer beyond 2^53 makes the whole table fail.
  rows.setReadBigInts(true)
  return rows.all()
}

/** Hides Node's warning that its SQLite is experimental, which does not help an operator. */
async function importQuietly(): Promise<typeof import('node:sqlite')> {
  const emitWarning = process.emitWarning.bind(process)
  process.emitWarning = () => undefined
  try {
    return await import('node:sqlite')
  } finally {
    process.emitWarning = emitWarning
  }
}
