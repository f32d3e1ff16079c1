import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Miniflare } from 'miniflare'
import { CommandError } from '../kit/command-error.ts'
import { loadMiniflare, loadWrangler } from './platform-tools.ts'

type Database = Awaited<ReturnType<Miniflare['getD1Database']>>

/** The table of wrangler, which says what the database has. */
const CREATE_TABLE = `create table if not exists d1_migrations (
  id integer primary key autoincrement,
  name text unique,
  applied_at timestamp default current_timestamp not null
)`

/**
 * Applies migrations to a local database, each in one transaction, and notes them, all as `wrangler
 * d1 migrations apply --local` does. wrangler starts a runtime for each of them, which would make a
 * first start twice as long.
 *
 * @param folder Of the migrations.
 * @param names Their files, in order.
 * @param signal Stops before the next one, which then fails.
 * @throws {CommandError} When a migration fails. Nothing of it stays; those before it do.
 */
export async function applyMigrations(
  database: Database,
  folder: string,
  names: readonly string[],
  signal?: AbortSignal,
): Promise<void> {
  const { unstable_splitSqlQuery: statementsOf } = loadWrangler()
  await database.prepare(CREATE_TABLE).run()
  for (const name of names) {
    signal?.throwIfAborted()
    const statements = statementsOf(readFileSync(join(folder, name), 'utf8'))
    try {
      await database.batch([
        ...statements.map((statement) => database.prepare(statement)),
        database.prepare('insert into d1_migrations (name) values (?)').bind(name),
      ])
    } catch (error) {
      throw new CommandError(
        `The migration ${name} can't be applied, and was rolled back: ${error instanceof Error ? error.message : ''}`,
        { cause: error },
      )
    }
  }
}

/**
 * Applies migrations to an empty database that is then forgotten.
 *
 * @throws {CommandError} When a migration fails.
 */
export async function tryMigrations(folder: string, names: readonly string[]): Promise<void> {
  const { convertV4MiniflareOptions, Miniflare } = loadMiniflare()
  const worker = { modules: true, script: '', d1Databases: ['DB'] }
  const miniflare = new Miniflare(convertV4MiniflareOptions(worker))
  try {
    await applyMigrations(await miniflare.getD1Database('DB'), folder, names)
  } finally {
    await miniflare.dispose()
  }
}
