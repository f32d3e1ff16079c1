import { type SQL, sql, type SQLWrapper } from 'drizzle-orm'
import type { appPasswords, identities, passkeys, sshKeys } from '../../../schema/tables.ts'
import { type Authority, writing } from '../database/statements.ts'
import type { Database } from '../deps.ts'
import { type AuditEvent, insertEvents } from './events.ts'

/** The tables whose rows belong to users, and whose deletions users read as events. */
type OwnedTable = typeof appPasswords | typeof identities | typeof passkeys | typeof sshKeys

/**
 * Returns the statements that delete rows and write an event for each. The event is that of the
 * owner of the row.
 *
 * @param detail The detail of the event: the name of the row.
 */
export function deletionOf(
  db: Database,
  by: Authority,
  table: OwnedTable,
  which: SQL | undefined,
  event: AuditEvent,
  detail: SQLWrapper,
) {
  const columns = { userId: table.userId, detail }
  return {
    deletionEvents: insertEvents(db, by, event, columns, { from: table, where: which }),
    deleted: writing(db, by)
      .delete(table, which)
      .returning({ userId: table.userId, detail: sql<string>`${detail}`.as('detail') }),
  }
}
