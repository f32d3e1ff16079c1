import { and, gte, lt, ne, type SQL, sql } from 'drizzle-orm'
import { users } from '../../schema/tables.ts'
import type { Database } from '../database/database.ts'

/**
 * Selects a user whose folder is that of a path, or lies in it. Case does not count, because it
 * does not on some disks.
 */
export function selectUserInFolder(db: Database, path: string) {
  const folder = path.replace(/\/*$/, '')
  const stored = sql`lower(${users.basePath} || '/')`
  // In ASCII, 0 follows the slash.
  const isInside = and(gte(stored, lowered(`${folder}/`)), lt(stored, lowered(`${folder}0`)))
  return db
    .select({ id: users.id })
    .from(users)
    .where(and(ne(users.basePath, sql`'/'`), isInside))
}

function lowered(text: string): SQL {
  return sql`lower(${text})`
}
