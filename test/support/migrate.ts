import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

type Statements = Parameters<D1Database['batch']>[0]

/** What migrating takes of a D1 database, the one Miniflare hands out included. */
interface Migratable {
  prepare: (query: string) => Statements[number]
  batch: (statements: Statements) => Promise<unknown>
}

/** Brings an empty database to the schema of a folder of migrations. */
export async function migrate(d1: Migratable, folder = 'schema/migrations'): Promise<void> {
  for (const migration of readMigrations(folder)) {
    const statements = migration.split('--> statement-breakpoint')
    await d1.batch(statements.map((statement) => d1.prepare(statement)))
  }
}

/** Reads the texts of a folder of migrations, in the order in which they are applied. */
export function readMigrations(folder: string): string[] {
  const files = readdirSync(folder).filter((name) => name.endsWith('.sql'))
  return files.toSorted().map((file) => readFileSync(join(folder, file), 'utf8'))
}
