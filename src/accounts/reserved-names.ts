import { and, eq, ne } from 'drizzle-orm'
import { reservedNames } from '../../schema/tables.ts'
import type { Database } from '../database/database.ts'
import { type Authority, writing } from '../database/statements.ts'
import { usernameKey } from './username.ts'

/**
 * Selects the reservation of a name that another account had. Programs know users by their names,
 * so the triggers of migration 0011 reserve the names of deleted and renamed accounts.
 */
export function selectReservation(db: Database, username: string, exceptId: number) {
  const { usernameKey: key, userId } = reservedNames
  return db
    .select({ userId })
    .from(reservedNames)
    .where(and(eq(key, usernameKey(username)), ne(userId, exceptId)))
}

export function selectReservedNames(db: Database) {
  return db.select().from(reservedNames).orderBy(reservedNames.usernameKey)
}

export function deleteReservation(db: Database, by: Authority, username: string) {
  return writing(db, by)
    .delete(reservedNames, eq(reservedNames.usernameKey, usernameKey(username)))
    .returning({ username: reservedNames.username })
}
