import { type SQL, sql, type SQLWrapper } from 'drizzle-orm'
import type { SQLiteTable } from 'drizzle-orm/sqlite-core'
import { auditEvents } from '../../../schema/tables.ts'
import type { Client } from '../base/network.ts'
import { type Authority, type Parts, THE_SERVICE, writing } from '../database/statements.ts'
import type { UserId } from '../database/user-id.ts'
import type { Database } from '../deps.ts'
import { type AuditEvent, logEvent } from './audit-event.ts'
import { type Change, changesIn } from './changes.ts'
import type { EventKind } from './kinds.ts'

export type { AuditEvent } from './audit-event.ts'

/** Creates an event that a signed-in user caused. */
export function eventOf(
  actor: Client & { userId: UserId },
  kind: EventKind,
  at: number,
  detail = '',
): AuditEvent {
  return {
    at,
    kind,
    userId: actor.userId,
    detail,
    network: actor.network,
    userAgent: actor.userAgent,
    ...(actor.country !== undefined && { country: actor.country }),
  }
}

/** Writes an event; with `when`, only if that condition holds at this point of the batch. */
export function insertEvent(db: Database, by: Authority, event: AuditEvent, when?: SQL) {
  return insertEvents(db, by, event, {}, { where: when })
}

/**
 * Writes an event for each row of a source.
 *
 * @param columns Replace those of the event, with values of the row.
 */
export function insertEvents(
  db: Database,
  by: Authority,
  event: AuditEvent,
  columns: Partial<Record<'kind' | 'userId' | 'detail' | 'changes', SQLWrapper>>,
  source: { from?: SQLiteTable | SQL; where?: SQL | undefined },
) {
  const written = writing(db, by)
    .insert(auditEvents, { ...eventRow(event), ...columns }, source)
    .returning({
      kind: sql<EventKind>`${auditEvents.kind}`.as('kind'),
      userId: auditEvents.userId,
      actorId: auditEvents.actorId,
      detail: auditEvents.detail,
      changes: sql<Change[] | null>`${auditEvents.changes}`.mapWith(changesIn).as('changes'),
    })
  eventsOf.set(written, event)
  return written
}

/** Writes and logs an event of the service, alone. */
export async function recordEvent(db: Database, event: AuditEvent): Promise<void> {
  await insertEvent(db, THE_SERVICE, event)
  logEvent(event)
}

/** The events of the statements of `insertEvents`. */
const eventsOf = new WeakMap<object, AuditEvent>()

/** Tells whether a batch writes an event. */
export function hasEvent(parts: Parts): boolean {
  return Object.values(parts).some((part) => part !== undefined && eventsOf.has(part))
}

/** Logs the events that a batch has written. */
export function logWritten(parts: Parts, answers: Record<string, unknown>): void {
  for (const [name, part] of Object.entries(parts)) {
    const event = part && eventsOf.get(part)
    const rows = answers[name]
    if (event !== undefined && areRows(rows)) for (const row of rows) logEvent({ ...event, ...row })
  }
}

/** Returns the columns of an event. A caller may replace columns with those of another row. */
export function eventRow({ at, kind, userId, nameHash, detail, ...event }: AuditEvent) {
  return {
    at,
    kind,
    userId: userId ?? null,
    nameHash: nameHash ?? null,
    detail: detail ?? '',
    network: event.network,
    userAgent: event.userAgent,
    actorId: event.actorId ?? null,
    changes: event.changes === undefined ? null : JSON.stringify(event.changes),
    country: event.country ?? '',
  }
}

type WrittenEvent = ReturnType<typeof insertEvents>['_']['result'][number]

/** Tells whether an answer of a statement of `insertEvents` has come. */
function areRows(answer: unknown): answer is WrittenEvent[] {
  return Array.isArray(answer)
}
