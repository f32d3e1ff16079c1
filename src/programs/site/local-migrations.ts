import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Miniflare } from 'miniflare'
import { CommandError } from '../kit/command-error.ts'
import { installed, isPacked } from '../kit/places.ts'
import { readPackedMigrations } from './packed.ts'
import { loadMiniflare, loadWrangler } from './platform-tools.ts'

type Database = Awaited<ReturnType<Miniflare['getD1Database']>>

/** Reads the statements of a migration. A pack has them apart: wrangler splits the others. */
export function readStatements(folder: string, name: string): readonly string[] {
  if (isPacked()) return readPackedMigrations()[name] ?? []
  const { unstable_splitSqlQuery: split } = loadWrangler()
  return split(readFileSync(join(installed(folder), name), 'utf8'))
}

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
  await database.prepare(CREATE_TABLE).run()
  for (const name of names) {
    signal?.throwIfAborted()
    const statements = readStatements(folder, name)
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
