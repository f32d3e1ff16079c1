import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The part of D1 that migrating uses; the database of Miniflare has it too. */
interface Migratable {
  prepare: (query: string) => Pick<D1PreparedStatement, 'run'>
}

/** Brings an empty database to the schema of a folder of migrations. */
export async function migrate(d1: Migratable, folder = 'schema/migrations'): Promise<void> {
  // In one request, because Miniflare takes milliseconds for each statement that it prepares.
  await d1.prepare(readMigrations(folder)).run()
}

/** Reads a folder of migrations into one text, in the order in which they are applied. */
export function readMigrations(folder: string): string {
  const files = readdirSync(folder).filter((name) => name.endsWith('.sql'))
  const texts = files.toSorted().map((file) => readFileSync(join(folder, file), 'utf8'))
  return texts.join(';\n')
}
