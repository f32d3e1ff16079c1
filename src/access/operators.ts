import { eq, exists, type SQL, sql } from 'drizzle-orm'
import type { BatchItem, BatchResponse } from 'drizzle-orm/batch'
import { users } from '../../schema/tables.ts'
import type { Database, Deps } from '../deps.ts'
import type { AuditEvent, EventKind } from '../audit/events.ts'
import { COMMAND_LINE } from '../base/network.ts'
import { Refusal } from '../base/refusals.ts'
import { ADMIN } from '../accounts/roles.ts'
import { actAs, type Actor, type ActorDeps } from './act-as.ts'
import { type FreshnessDeps, isFreshAt, whenFresh } from './freshness.ts'
import { selectLive } from './session-store.ts'

export { COMMAND_LINE }

/** Who runs the site: an admin who is signed in, or the command line. */
export type Operator = Actor | typeof COMMAND_LINE

/**
 * Acts as an operator: for a session as `actAs`, if its user is an admin. A statement that writes
 * carries `isOperator`.
 *
 * @throws {Refusal} `notAdmin`, and those of `actAs`.
 */
export async function actAsOperator<
  Statements extends [BatchItem<'sqlite'>, ...BatchItem<'sqlite'>[]],
>(
  deps: ActorDeps,
  operator: Operator,
  ...statements: Statements
): Promise<BatchResponse<Statements>> {
  if (!isActor(operator)) return deps.db.batch(statements)
  const [account, ...results] = await actAs(deps, operator, ...statements)
  if (account.role !== ADMIN) throw new Refusal('notAdmin')
  return results
}

/**
 * As `actAsOperator`, for what only a fresh session may do, if it is asked for: a statement that
 * does it carries `isFreshOperator` of the same `now`.
 *
 * @returns First whether the session is fresh, which the command line always is.
 */
export async function actAsOperatorAt<
  Statements extends [BatchItem<'sqlite'>, ...BatchItem<'sqlite'>[]],
>(
  deps: ActorDeps & FreshnessDeps,
  operator: Operator,
  now: number,
  ...statements: Statements
): Promise<[isFresh: boolean, ...BatchResponse<Statements>]> {
  if (!isActor(operator)) return [true, ...(await deps.db.batch(statements))]
  const [account, ...results] = await actAs(deps, operator, ...statements)
  if (account.role !== ADMIN) throw new Refusal('notAdmin')
  return [isFreshAt(deps, account.provenAt, now), ...results]
}

/** A condition for statements that write: `isLive`, and the session is an admin's. */
export function isOperator(db: Database, operator: Operator, now: number): SQL {
  if (!isActor(operator)) return sql`true`
  return exists(selectLive(db, operator, now, eq(users.role, ADMIN)))
}

/** As `isOperator`, and the session is fresh. */
export function isFreshOperator(
  deps: Pick<Deps, 'db'> & FreshnessDeps,
  operator: Operator,
  now: number,
): SQL {
  if (!isActor(operator)) return sql`true`
  return exists(selectLive(deps.db, operator, now, whenFresh(deps, now, eq(users.role, ADMIN))))
}

/**
 * An event that an operator brought about. The command line is known by its network.
 *
 * @param userId Whom it happened to; nobody for what concerns everybody.
 */
export function eventBy(
  operator: Operator,
  userId: number | undefined,
  kind: EventKind,
  at: number,
  detail = '',
): AuditEvent {
  const { network, userAgent } = operator
  return {
    at,
    kind,
    detail,
    network,
    userAgent,
    ...(userId !== undefined && { userId }),
    ...(isActor(operator) && { actorId: operator.userId }),
  }
}

/** Whether it is an admin's session, not the command line. */
export function isActor(operator: Operator): operator is Actor {
  // Whatever is not that very object has to show a session.
  return operator !== COMMAND_LINE
}
