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
  const files = readdirSync(folder).filter((name) => name.endsWith('.sql'))
  for (const file of files.toSorted()) {
    const statements = readFileSync(join(folder, file), 'utf8').split('--> statement-breakpoint')
    await d1.batch(statements.map((statement) => d1.prepare(statement)))
  }
}
