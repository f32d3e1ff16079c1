import { and, type SQL, sql, type SQLWrapper } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import { users } from '../../../schema/tables.ts'
import type { Authority } from '../database/statements.ts'
import type { Database } from '../deps.ts'
import type { ChangedField } from './changes.ts'
import { type AuditEvent, insertEvents } from './events.ts'
import type { EventKind } from './kinds.ts'

/** A field of the row that a statement is about to change. */
export interface FieldChange {
  field: ChangedField
  from: SQLWrapper
  to: SQLWrapper
}

/** Returns the change of a text field, or no change when the request does not contain the field. */
export function textChange(
  field: ChangedField,
  from: SQLiteColumn,
  to: string | undefined,
): FieldChange[] {
  return to === undefined ? [] : [{ field, from, to: sql`${to}` }]
}

/** An event that is written when a field differs, or always when `always` is set. */
export interface ChangeEvent {
  kind: EventKind
  fields: FieldChange[]
  always?: boolean
}

/**
 * Writes the events of a change that the next statement of the batch makes to a user. It reads the
 * old values in the same transaction, so no other change can come between. It writes one event for
 * each kind with a changed field or with `always`.
 *
 * @param when The condition of the statement that changes the row of `users`.
 */
export function insertEventsOfChange(
  db: Database,
  by: Authority,
  event: AuditEvent,
  kinds: ChangeEvent[],
  when: SQL | undefined,
) {
  const made = sql`json_array(${sql.join(kinds.map(eventJson), sql`, `)})`
  const changes = sql`json_each.value ->> 'changes'`
  return insertEvents(
    db,
    by,
    event,
    { kind: sql`json_each.value ->> 'kind'`, changes },
    {
      from: sql`${users}, json_each(${made})`,
      where: and(when, sql`${changes} is not null`),
    },
  )
}

function eventJson({ kind, fields, always = false }: ChangeEvent): SQL {
  return sql`json_object('kind', ${kind}, 'changes', ${changesJson(fields, always)})`
}

/** Returns the changes as JSON, or null when no field differs. */
function changesJson(fields: FieldChange[], always: boolean): SQL {
  // D1 allows five terms in a compound select, so the list is built as a text.
  const parts = fields.map(
    ({ field, from, to }) =>
      sql`iif(${from} is ${to}, '', json_object('field', ${field}, 'from', ${from}, 'to', ${to}) || ',')`,
  )
  const list = parts.length === 0 ? sql`''` : sql.join(parts, sql` || `)
  const json = sql`'[' || rtrim(${list}, ',') || ']'`
  return always ? json : sql`nullif(${json}, '[]')`
}
