import { and, eq, exists, lte, or, type SQL, sql } from 'drizzle-orm'
import { users } from '../../../schema/tables.ts'
import { DETAIL_FIELDS, givesAccess } from '../../core/access/field-guards.ts'
import { type FieldChange, insertEventsOfChange } from '../../core/audit/change-events.ts'
import type { AuditEvent } from '../../core/audit/events.ts'
import { type Authority, writing } from '../../core/database/statements.ts'
import type { UserId } from '../../core/database/user-id.ts'
import type { Database } from '../../core/deps.ts'

/** Selects what only the user and operators see of an account. */
export function selectDetails(db: Database, userId: UserId) {
  return db
    .select({
      id: users.id,
      username: users.username,
      role: users.role,
      email: users.email,
      emailVerified: users.emailVerified,
      endsAt: users.endsAt,
      waiting: users.waiting,
      registeredAt: users.createdAt,
      registeredNetwork: users.registeredNetwork,
    })
    .from(users)
    .where(eq(users.id, sql`${userId}`))
}

/** Selects the user when a change of the details gives access (`DETAIL_FIELDS`). */
export function selectGuardedDetails(
  db: Database,
  userId: number,
  { email, endsAt }: { email?: string | undefined; endsAt?: number | null | undefined },
) {
  const { email: ofAddress, ends_at: ofEnd } = DETAIL_FIELDS
  const gives = or(
    email === undefined ? undefined : givesAccess(ofAddress, users.email, sql`${email}`),
    endsAt === undefined ? undefined : givesAccess(ofEnd, users.endsAt, sql`${endsAt}`),
  )
  return db
    .select({ id: users.id })
    .from(users)
    .where(and(eq(users.id, userId), gives ?? sql`false`))
}

/** Holds for an account that has ended. */
export function hasEnded(db: Database, userId: number, now: number): SQL {
  const own = db.select({ id: users.id }).from(users)
  return exists(own.where(and(eq(users.id, userId), lte(users.endsAt, now))))
}

/**
 * Writes the event of `updateEmail`, with both addresses, when the address differs. It stands
 * before it.
 */
export function insertEventOfAddress(
  db: Database,
  by: Authority,
  userId: number,
  email: string,
  event: AuditEvent,
) {
  const field: FieldChange = { field: 'email', from: users.email, to: sql`${email}` }
  const kinds = [{ kind: event.kind, fields: [field] }]
  return insertEventsOfChange(db, by, event, kinds, eq(users.id, userId))
}

/** Sets the end of an account; null removes it. An admin and the guest have none. */
export function updateEnd(
  db: Database,
  by: Authority,
  userId: number,
  endsAt: number | null,
  when?: SQL,
) {
  return writing(db, by)
    .update(users, { endsAt }, and(eq(users.id, userId), when))
    .returning({ id: users.id })
}

/** Writes the event of `updateEnd`, when the end differs. It stands before it. */
export function insertEventOfEnd(
  db: Database,
  by: Authority,
  userId: number,
  endsAt: number | null,
  event: AuditEvent,
  when?: SQL,
) {
  const field: FieldChange = {
    field: 'ends_at',
    from: iso(sql`${users.endsAt}`),
    to: iso(sql`cast(${endsAt} as integer)`),
  }
  const kinds = [{ kind: event.kind, fields: [field] }]
  return insertEventsOfChange(db, by, event, kinds, and(eq(users.id, userId), when))
}

function iso(time: SQL): SQL {
  return sql`iif(${time} is null, '', strftime('%Y-%m-%dT%H:%M:%SZ', ${time} / 1000, 'unixepoch'))`
}
