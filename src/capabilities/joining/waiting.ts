import { and, asc, eq, sql } from 'drizzle-orm'
import { users } from '../../../schema/tables.ts'
import type { ReaderDeps } from '../../core/access/act-as.ts'
import { tellingPrograms } from '../../core/access/endings.ts'
import type { Operator } from '../../core/access/operators.ts'
import { change, type ChangeDeps, of, read } from '../../core/access/subject.ts'
import { insertEvents } from '../../core/audit/events.ts'
import { Refusal } from '../../core/base/refusals.ts'
import { writing } from '../../core/database/statements.ts'

// Users who have registered and wait for an approval. There are at most 200.

/** Lists them, the oldest first. @throws {Refusal} `notAdmin`. */
export async function listWaiting(deps: ReaderDeps, operator: Operator) {
  const { found } = await read(deps, of(operator), {
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

/**
 * Approves a registration: the user is enabled. `changeUser` does the same when it enables a user
 * who waits.
 *
 * @throws {Refusal} `notAdmin`, `confirmationNeeded`, `userNotFound` when the user does not wait.
 */
export function approveUser(deps: ChangeDeps, operator: Operator, userId: number): Promise<void> {
  return decide(deps, operator, userId, 'registration_approved')
}

/** Rejects a registration: the user is deleted. @throws {Refusal} As `approveUser`. */
export function rejectUser(deps: ChangeDeps, operator: Operator, userId: number): Promise<void> {
  return decide(deps, operator, userId, 'registration_rejected')
}

async function decide(
  deps: ChangeDeps,
  operator: Operator,
  userId: number,
  kind: 'registration_approved' | 'registration_rejected',
): Promise<void> {
  const { db } = deps
  const id = { id: users.id }
  const { approved, rejected } = await change(
    deps,
    of(operator, userId),
    { kind, fresh: true },
    ({ by, event }) => {
      const written = writing(db, by)
      return {
        // Before the change, because the row of a rejected user is gone then.
        event: insertEvents(
          db,
          by,
          event,
          { detail: users.username },
          { from: users, where: isWaiting(userId) },
        ),
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
      }
    },
  )
  if ((approved ?? rejected ?? []).length === 0) throw new Refusal('userNotFound')
}

function isWaiting(userId: number) {
  return and(eq(users.id, userId), sql`${users.waiting} = 1`)
}
