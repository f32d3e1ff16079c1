import { globSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { APPLIED_MIGRATIONS } from '../../core/database/migrations.ts'

/** Wrangler keeps the data of a local site here, and commands use the same folder. */
export const STATE_FOLDER = '.wrangler/state/v3'

const BUSY_MILLISECONDS = 5000

/** Finds the file of the local database; `undefined` before the first start. */
export function findLocalDatabase(): string | undefined {
  const files = globSync(join(STATE_FOLDER, 'd1/miniflare-D1DatabaseObject/*.sqlite'))
  return files.find((file) => !file.endsWith('metadata.sqlite'))
}

/** Opens an SQLite file, calls a function with it, and closes it. */
export function withSqlite<Result>(
  file: string,
  options: { readOnly: boolean },
  use: (database: DatabaseSync) => Result,
): Result {
  const database = new DatabaseSync(file, { ...options, timeout: BUSY_MILLISECONDS })
  try {
    return use(database)
  } finally {
    database.close()
  }
}

/** Copies a database into an empty file. Later writes are not in the copy, and don't wait for it. */
export function copyInto(database: DatabaseSync, file: string): void {
  database.prepare('vacuum into ?').run(file)
}

/** Reads the file names of the applied migrations; `undefined` when it is no database of a site. */
export function readMigrations(database: DatabaseSync): string[] | undefined {
  const tables = database.prepare(
    `select count(*) as total from sqlite_master where type = 'table' and name in ('users', 'd1_migrations')`,
  )
  if (tables.get()?.['total'] !== 2) return undefined
  const rows = database.prepare(APPLIED_MIGRATIONS).all()
  return rows.map(({ name }) => String(name))
}
