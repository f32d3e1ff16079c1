import { exists, type SQL, sql } from 'drizzle-orm'
import { asAuthority, type Authority } from '../database/statements.ts'
import type { Database, Deps } from '../deps.ts'
import type { AuditEvent } from '../audit/events.ts'
import type { EventKind } from '../audit/kinds.ts'
import { COMMAND_LINE } from '../base/network.ts'
import type { UserId } from '../database/user-id.ts'
import { isAdmin } from '../accounts/conditions.ts'
import type { Actor } from './actor.ts'
import type { FreshnessDeps } from './is-fresh.ts'
import { methodsOf, selectFreshActor, selectLiveActor } from './session-store.ts'
import { BY_COMMAND } from './sign-in-methods.ts'

export { COMMAND_LINE }

/** A signed-in admin or the command line. */
export type Operator = Actor | typeof COMMAND_LINE

/** Holds for the live session of an admin, an admin's app password, and the command line. */
export function isOperator(db: Database, operator: Operator, now: number): Authority {
  if (!isActor(operator)) return asAuthority(sql`true`)
  return asAuthority(exists(selectLiveActor(db, operator, now, isAdmin)))
}

/** Returns the methods with which an operator makes something for a user. */
export function methodsOfOperator(db: Database, operator: Operator): SQL {
  return isActor(operator) ? methodsOf(db, operator) : sql`${BY_COMMAND}`
}

/** Works like `isOperator`. A session must be fresh. */
export function isFreshOperator(
  deps: Pick<Deps, 'db'> & FreshnessDeps,
  operator: Operator,
  now: number,
): Authority {
  if (!isActor(operator)) return asAuthority(sql`true`)
  return asAuthority(exists(selectFreshActor(deps, operator, now, isAdmin)))
}

/**
 * Creates an event that an operator caused. The command line is identified by its network.
 *
 * @param userId The user that the event concerns; `undefined` when it concerns the whole site.
 */
export function eventBy(
  operator: Operator,
  userId: UserId | undefined,
  kind: EventKind,
  at: number,
  detail = '',
): AuditEvent {
  const { network, userAgent, country } = operator
  return {
    at,
    kind,
    detail,
    network,
    userAgent,
    ...(country !== undefined && { country }),
    ...(userId !== undefined && { userId }),
    ...(isActor(operator) && { actorId: operator.userId }),
  }
}

/** Returns the user who is the operator; null for the command line. */
export function userIdOf(operator: Operator): UserId | null {
  return isActor(operator) ? operator.userId : null
}

/** Tells whether the operator is an admin, not the command line. */
export function isActor(operator: Operator): operator is Actor {
  // Only this object is the command line. Everything else must show a session or an app password.
  return operator !== COMMAND_LINE
}
