import { sql, type SQL } from 'drizzle-orm'
import { auditEvents, users } from '../../../schema/tables.ts'
import { folderColumns } from '../../core/accounts/folders.ts'
import { usernameKey } from '../../core/accounts/username.ts'
import { type AuditEvent, eventRow } from '../../core/audit/events.ts'
import { literal } from '../../core/database/literal.ts'
import { type Authority, writing } from '../../core/database/statements.ts'
import type { Database } from '../../core/deps.ts'

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
