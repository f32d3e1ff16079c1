import { existsSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import type { DatabaseSync } from 'node:sqlite'
import { CommandError } from '../kit/command-error.ts'
import { readLatchkey } from './latchkey-database.ts'
import { passkeyRowsOf } from './passkeys.ts'
import type { RawRow, Source } from './source.ts'
import { fromWorkerUser } from './worker-users.ts'

/** Offset in the header, and its value in a database with a write-ahead log. */
const READ_VERSION_OFFSET = 19
const WAL = 2
/** The prefix of OpenList and AList unless their configuration names another. */
const DEFAULT_PREFIX = 'x_'

/** The operator's remedies for SQLite's errors. @see https://www.sqlite.org/rescode.html */
const REMEDIES = new Map([
  [5, 'the old server is writing to it: stop the old server, and run this again'],
  [8, 'the old server stopped while it was writing: start it, stop it, and copy the file again'],
  [14, 'copy it, together with a -wal file beside it, into a folder that you may write'],
])
/** The primary code is the low byte of an error code. */
const PRIMARY_CODE = 0xff

/**
 * Reads the tables of OpenList or AList, of any version, of OpenList-Worker or of Latchkey; never
 * writes the file. Tables and columns that an older version lacks are missing in the result.
 *
 * @throws {CommandError} When the table of users is missing, or the database can't be read.
 */
export async function readDatabase(path: string, header: Buffer): Promise<Source> {
  const { DatabaseSync } = await importQuietly()
  try {
    const database = new DatabaseSync(locate(path, header), { readOnly: true })
    try {
      const table = (name: string) => readTable(database, name)
      const warnings = warningsOf(path, header)
      if (hasColumn(database, 'users', 'username_key')) return readLatchkey(table, warnings)
      const prefix = findPrefix(path, database)
      const users = table(`${prefix}users`)
      const source = {
        users,
        passkeys: passkeyRowsOf(users),
        keys: table(`${prefix}ssh_public_keys`),
        settings: table(`${prefix}setting_items`),
        recoveryCodes: [],
        identities: [],
        reservedNames: [],
        groups: [],
        groupMembers: [],
        folderRules: [],
        roles: table(`${prefix}roles`),
        serviceTokens: [],
        warnings,
      }
      if (!hasColumn(database, `${prefix}users`, 'pwd_update_at'))
        return { kind: 'database', ...source }
      if (source.users.length === 0 && table('kv').length > 0)
        throw new CommandError(
          `${path} is of OpenList-Worker, which keeps its users here as JSON in the table kv: set its DB_FORMAT to sql, or import a backup of its web client.`,
        )
      return { kind: 'openlist-worker', ...source, users: source.users.map(fromWorkerUser) }
    } finally {
      database.close()
    }
  } catch (error) {
    if (error instanceof CommandError || !(error instanceof Error)) throw error
    const remedy =
      'errcode' in error && typeof error.errcode === 'number'
        ? REMEDIES.get(error.errcode & PRIMARY_CODE)
        : undefined
    const hint = remedy === undefined ? '' : `; ${remedy}`
    throw new CommandError(`Can't read ${path}: ${error.message}${hint}.`)
  }
}

/**
 * Warns of a database with a write-ahead log that is not beside it. A server that ended properly
 * has emptied and deleted the log.
 */
function warningsOf(path: string, header: Buffer): string[] {
  if (header[READ_VERSION_OFFSET] !== WAL || existsSync(`${path}-wal`)) return []
  return [
    `${path} was written with a write-ahead log, and there is no ${path}-wal: if the old server was running when the file was copied, its latest changes are missing here`,
  ]
}

function hasColumn(database: DatabaseSync, table: string, column: string): boolean {
  const columns = database.prepare('select 1 from pragma_table_info(?) where name = ?')
  return columns.get(table, column) !== undefined
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
  // Of two users with the same name, the first counts.
  const order = hasColumn(database, table, 'id') ? 'order by id' : ''
  const rows = database.prepare(`select * from "${table.replaceAll('"', '""')}" ${order}`)
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
