import { and, gte, inArray, lt, ne, notExists, type SQL, sql } from 'drizzle-orm'
import { users } from '../../schema/tables.ts'
import type { Database } from '../database/database.ts'

const stored = sql`lower(${users.basePath} || '/')`

/**
 * Holds while nobody's folder is one of these, or lies in the last of them. Case does not count,
 * because it does not on some disks.
 *
 * @param folders Clean paths, each in the one before.
 */
export function areNobodysFolders(db: Database, folders: readonly string[]): SQL | undefined {
  const same = inArray(
    stored,
    folders.map((folder) => lowered(`${folder}/`)),
  )
  const last = folders.at(-1) ?? ''
  // In ASCII, 0 follows the slash.
  const inside = and(gte(stored, lowered(`${last}/`)), lt(stored, lowered(`${last}0`)))
  // SQLite would read the whole index for both at once.
  return and(notExists(selectUser(db, same)), notExists(selectUser(db, inside)))
}

function selectUser(db: Database, which: SQL | undefined) {
  const hasFolder = ne(users.basePath, sql`'/'`)
  return db.select({ id: users.id }).from(users).where(and(hasFolder, which))
}

function lowered(text: string): SQL {
  return sql`lower(${text})`
}
