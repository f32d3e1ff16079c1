import { exists, type SQL } from 'drizzle-orm'
import { openidClients } from '../../../schema/tables.ts'
import type { Database } from '../database/database.ts'

/*
 * While programs sign users in here, they may know them by name: a name is then kept, and nobody
 * else gets it.
 */

/** Selects one program that signs users in, if there is any. */
export function selectAnyClient(db: Database) {
  return db.select({ id: openidClients.id }).from(openidClients).limit(1)
}

/** Holds while a program signs users in. */
export function hasClients(db: Database): SQL {
  return exists(selectAnyClient(db))
}
