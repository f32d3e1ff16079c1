import { and, asc, eq, sql } from 'drizzle-orm'
import { auditEvents, users } from '../../../schema/tables.ts'
import type { ActorDeps } from '../../core/access/act-as.ts'
import { tellingPrograms } from '../../core/access/endings.ts'
import type { FreshnessDeps } from '../../core/access/freshness.ts'
import {
  actAsOperator,
  actAsOperatorAt,
  eventBy,
  isFreshOperator,
  type Operator,
} from '../../core/access/operators.ts'
import { type AuditEvent, eventRow, logEvent } from '../../core/audit/events.ts'
import { Refusal } from '../../core/base/refusals.ts'
import { type Authority, writing } from '../../core/database/statements.ts'
import type { Database } from '../../core/deps.ts'

// Users who have registered and wait for an approval. There are at most 200.

/** Lists them, the oldest first. @throws {Refusal} `notAdmin`. */
export async function listWaiting(deps: ActorDeps, operator: Operator) {
  const { found } = await actAsOperator(deps, operator, {
    found: deps.db
      .select({
        id: users.id,
        username: users.username,
        registeredAt: users.createdAt,
        network: users.registeredNetwork,
      })
      .from(users)
      .where(sql`${users.waiting} = 1`)
      .orderBy(asc(users.id)),
  })
  return found
}

type WaitingDeps = ActorDeps & FreshnessDeps

/**
 * Approves a registration: the user is enabled. `changeUser` does the same when it enables a user
 * who waits.
 *
 * @throws {Refusal} `notAdmin`, `confirmationNeeded`, `userNotFound` when the user does not wait.
 */
export function approveUser(deps: WaitingDeps, operator: Operator, userId: number): Promise<void> {
  return decide(deps, operator, userId, 'registration_approved')
}

/** Rejects a registration: the user is deleted. @throws {Refusal} As `approveUser`. */
export function rejectUser(deps: WaitingDeps, operator: Operator, userId: number): Promise<void> {
  return decide(deps, operator, userId, 'registration_rejected')
}

async function decide(
  deps: WaitingDeps,
  operator: Operator,
  userId: number,
  kind: 'registration_approved' | 'registration_rejected',
): Promise<void> {
  const { db } = deps
  const now = deps.now()
  const by = isFreshOperator(deps, operator, now)
  const event = eventBy(operator, userId, kind, now)
  const written = writing(db, by)
  const id = { id: users.id }
  const { isFresh, approved, rejected } = await actAsOperatorAt(deps, operator, now, {
    event: insertEventOfWaiting(db, by, userId, event),
    approved:
      kind === 'registration_approved'
        ? written
            .update(users, { disabled: false, waiting: false }, isWaiting(userId))
            .returning(id)
        : undefined,
    rejected:
      kind === 'registration_rejected'
        ? tellingPrograms(written.delete(users, isWaiting(userId)).returning(id))
        : undefined,
  })
  if (!isFresh) throw new Refusal('confirmationNeeded')
  if ((approved ?? rejected ?? []).length === 0) throw new Refusal('userNotFound')
  logEvent(event)
}

function isWaiting(userId: number) {
  return and(eq(users.id, userId), sql`${users.waiting} = 1`)
}

/** Writes the event before the change. A rejected user is named, because the row is gone then. */
function insertEventOfWaiting(db: Database, by: Authority, userId: number, event: AuditEvent) {
  const row = { ...eventRow(event), detail: users.username }
  return writing(db, by).insert(auditEvents, row, { from: users, where: isWaiting(userId) })
}
