import { and, type SQL, sql, type SQLWrapper } from 'drizzle-orm'
import { auditEvents, users } from '../../schema/tables.ts'
import { type Authority, writing } from '../database/statements.ts'
import type { Database } from '../deps.ts'
import { type ChangedField, changesIn } from './changes.ts'
import { type AuditEvent, type EventKind, eventRow } from './events.ts'

/** A field of the row that a statement is about to change. */
export interface FieldChange {
  field: ChangedField
  from: SQLWrapper
  to: SQLWrapper
}

/** One event: it is written when a field differs, or `always`. */
export interface ChangeEvent {
  kind: EventKind
  fields: FieldChange[]
  always?: boolean
}

/**
 * Remembers what the next statement of the batch changes of a user: it reads the values before in
 * the same transaction, so that nothing comes between. One event for each kind that says
 * something.
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
  const row = { ...eventRow(event), kind: sql`json_each.value ->> 'kind'`, changes }
  return writing(db, by)
    .insert(auditEvents, row, {
      from: sql`${users}, json_each(${made})`,
      where: and(when, sql`${changes} is not null`),
    })
    .returning({
      kind: sql<EventKind>`${auditEvents.kind}`.as('kind'),
      changes: sql`${auditEvents.changes}`.mapWith(changesIn).as('changes'),
    })
}

function eventJson({ kind, fields, always = false }: ChangeEvent): SQL {
  return sql`json_object('kind', ${kind}, 'changes', ${changesJson(fields, always)})`
}

/** The changes as JSON, or null when no field differs. */
function changesJson(fields: FieldChange[], always: boolean): SQL {
  // D1 allows five terms in a compound select, so the list is put together as a text.
  const parts = fields.map(
    ({ field, from, to }) =>
      sql`iif(${from} is ${to}, '', json_object('field', ${field}, 'from', ${from}, 'to', ${to}) || ',')`,
  )
  const list = parts.length === 0 ? sql`''` : sql.join(parts, sql` || `)
  const json = sql`'[' || rtrim(${list}, ',') || ']'`
  return always ? json : sql`nullif(${json}, '[]')`
}
