import { and, eq, ne, type SQL } from 'drizzle-orm'
import { reservedNames } from '../../../schema/tables.ts'
import type { Database } from '../database/database.ts'
import { type Authority, writing } from '../database/statements.ts'
import { usernameKey } from './username.ts'

/**
 * Selects the reservation of a name that another account had, for a user who chooses a name. The
 * triggers of migrations 0030 and 0031 reserve the names of deleted and renamed accounts, and those
 * in the paths of their folders: programs know users by their names, and the folder of a name
 * (`/home/{username}`) may still hold files.
 */
export function selectReservation(db: Database, username: string, exceptId: number) {
  return selectReservations(db, isReserved(username, exceptId))
}

/** Selects the reservation of a name for an operator, who knows whose folder it is. */
export function selectReservationByProgram(db: Database, username: string, exceptId: number) {
  const isByProgram = eq(reservedNames.ofFolder, false)
  return selectReservations(db, and(isReserved(username, exceptId), isByProgram))
}

function selectReservations(db: Database, which: SQL | undefined) {
  return db.select({ userId: reservedNames.userId }).from(reservedNames).where(which)
}

function isReserved(username: string, exceptId: number): SQL | undefined {
  const { usernameKey: key, userId } = reservedNames
  return and(eq(key, usernameKey(username)), ne(userId, exceptId))
}

export function selectReservedNames(db: Database) {
  return db.select().from(reservedNames).orderBy(reservedNames.usernameKey)
}

export function deleteReservation(db: Database, by: Authority, username: string) {
  return writing(db, by)
    .delete(reservedNames, eq(reservedNames.usernameKey, usernameKey(username)))
    .returning({ username: reservedNames.username })
}
