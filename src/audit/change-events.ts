import { and, type SQL, sql, type SQLWrapper } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import { auditEvents, users } from '../../schema/tables.ts'
import { type Authority, writing } from '../database/statements.ts'
import type { Database } from '../deps.ts'
import { type ChangedField, changesIn } from './changes.ts'
import { type AuditEvent, type EventKind, eventRow, logEvent } from './events.ts'

/** A field of the row that a statement is about to change. */
export interface FieldChange {
  field: ChangedField
  from: SQLWrapper
  to: SQLWrapper
}

/** The change of a text; none when a request doesn't name it. */
export function textChange(
  field: ChangedField,
  from: SQLiteColumn,
  to: string | undefined,
): FieldChange[] {
  return to === undefined ? [] : [{ field, from, to: sql`${to}` }]
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

/** Logs the events of one request, which may be of several kinds. */
export function logEvents(
  event: AuditEvent,
  written: Pick<AuditEvent, 'kind' | 'changes'>[],
): void {
  for (const one of written) logEvent({ ...event, ...one })
}
