import { sql } from 'drizzle-orm'
import type { Database } from './database.ts'

/** Lists the file names of the applied migrations, in order, as wrangler stores them. */
export async function selectMigrations(db: Database): Promise<string[]> {
  const rows = await db.all<{ name: string }>(sql`select name from d1_migrations order by id`)
  return rows.map(({ name }) => name)
}
