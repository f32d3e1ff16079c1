import { and, not, notExists, sql, type SQL } from 'drizzle-orm'
import { auditEvents, users } from '../../schema/tables.ts'
import { areNobodysFolders, folderColumns, hasAllKeys } from '../accounts/folders.ts'
import { selectReservation, selectReservationByProgram } from '../accounts/reserved-names.ts'
import { selectSameName } from '../accounts/store.ts'
import { usernameKey } from '../accounts/username.ts'
import { type AuditEvent, eventRow } from '../audit/events.ts'
import { literal } from '../database/literal.ts'
import { type Authority, writing } from '../database/statements.ts'
import type { Database } from '../deps.ts'

/** A new user has no id. */
const NEW = 0

/** Registrations that wait for an approval. Further ones are refused until an admin decides. */
const MAX_WAITING = 200

/** A user who registers. */
export type Registrant = Pick<
  typeof users.$inferInsert,
  | 'username'
  | 'passwordHash'
  | 'permission'
  | 'endsAt'
  | 'email'
  | 'emailVerified'
  | 'registeredNetwork'
> & { basePath: string; waiting: boolean }

/** The name of a new account. */
export interface NewName {
  username: string
  /** Whether its owner has chosen it; an operator may give one that is reserved for its folder. */
  isChosen: boolean
  /**
   * The folders that only a chosen name leads to, each in the one before, the last that of the
   * account; none when every name leads there.
   */
  folders: string[]
}

/**
 * Holds while no account has the name, none had it that programs know, and nobody's folder is one
 * that it leads to.
 */
export function isFreeName(
  db: Database,
  { username, isChosen, folders }: NewName,
): SQL | undefined {
  return and(
    notExists(selectSameName(db, username, NEW)),
    notExists(
      isChosen
        ? selectReservation(db, username, NEW)
        : selectReservationByProgram(db, username, NEW),
    ),
    folders.length === 0 ? undefined : areNobodysFolders(db, folders),
    isChosen ? hasAllKeys(db) : undefined,
  )
}

/** Selects a row when the name is taken or reserved. */
export function selectTaken(db: Database, name: NewName) {
  return db
    .select({ isTaken: sql<number>`1`.as('is_taken') })
    .from(sql`(select 1)`)
    .where(not(sql`(${isFreeName(db, name)})`))
}

/** Holds while another registration may wait. */
export function hasWaitingRoom(): SQL {
  return sql`(select count(*) from ${users} where ${users.waiting} = 1) < ${literal(MAX_WAITING)}`
}

/**
 * Returns the statements that add a user who registers, with the event.
 *
 * @param when Such as `isFreeName`.
 */
export function registrantInsertion(
  db: Database,
  by: Authority,
  user: Registrant,
  event: AuditEvent,
  when: SQL | undefined,
) {
  const written = writing(db, by)
  const row = {
    ...user,
    ...folderColumns(user.basePath),
    usernameKey: usernameKey(user.username),
    disabled: user.waiting,
    createdAt: event.at,
  }
  return {
    inserted: written
      .insert(users, row, { where: when })
      .onConflictDoNothing()
      .returning({ id: users.id }),
    // Both are of the statement before.
    event: written.insert(
      auditEvents,
      { ...eventRow(event), userId: sql`last_insert_rowid()` },
      { where: sql`changes() = 1` },
    ),
  }
}
