import { eq, exists, type SQL, sql } from 'drizzle-orm'
import type { BatchItem, BatchResponse } from 'drizzle-orm/batch'
import { users } from '../../schema/tables.ts'
import type { Database, Deps } from '../deps.ts'
import { COMMAND_LINE } from '../network.ts'
import { Refusal } from '../refusals.ts'
import { ADMIN } from '../users/roles.ts'
import { actAs, type Actor, type ActorDeps } from './act-as.ts'
import { type FreshnessDeps, isFreshAt, whenFresh } from './freshness.ts'
import { selectLive } from './sessions.ts'

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

/** Who did it, for the detail of an event that happened to somebody else. */
export function byOperator(operator: Operator): string {
  return isActor(operator) ? `by ${operator.userId}` : 'by command line'
}

function isActor(operator: Operator): operator is Actor {
  // Whatever is not that very object has to show a session.
  return operator !== COMMAND_LINE
}
