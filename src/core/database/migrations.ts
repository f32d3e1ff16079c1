import { sql } from 'drizzle-orm'
import type { Database } from './database.ts'

/** Selects the file names of the applied migrations, in order, as wrangler stores them. */
export const APPLIED_MIGRATIONS = 'select name from d1_migrations order by id'

/** Lists the file names of the applied migrations, in order. */
export async function selectMigrations(db: Database): Promise<string[]> {
  const rows = await db.all<{ name: string }>(sql.raw(APPLIED_MIGRATIONS))
  return rows.map(({ name }) => name)
}
