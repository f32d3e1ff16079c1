import { eq, exists, sql } from 'drizzle-orm'
import { users } from '../../schema/tables.ts'
import {
  type Answers,
  asAuthority,
  type Authority,
  type Parts,
  runBatch,
} from '../database/statements.ts'
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
 * Acts as an operator: for a session as `actAs`, if its user is an admin. A write carries
 * `isOperator`.
 *
 * @throws {Refusal} `notAdmin`, and those of `actAs`.
 */
export async function actAsOperator<Named extends Parts>(
  deps: ActorDeps,
  operator: Operator,
  parts: Named,
): Promise<Answers<Named>> {
  if (!isActor(operator)) return runBatch(deps.db, parts)
  const acted = await actAs(deps, operator, parts)
  if (acted.account.role !== ADMIN) throw new Refusal('notAdmin')
  return acted
}

/**
 * As `actAsOperator`, for a batch with parts that only a fresh session may do: those carry
 * `isFreshOperator` of the same `now`.
 *
 * @returns The answers, and whether the session is fresh. The command line always is.
 */
export async function actAsOperatorAt<Named extends Parts>(
  deps: ActorDeps & FreshnessDeps,
  operator: Operator,
  now: number,
  parts: Named,
): Promise<{ isFresh: boolean } & Answers<Named>> {
  if (!isActor(operator)) return { ...(await runBatch(deps.db, parts)), isFresh: true }
  const acted = await actAs(deps, operator, parts)
  if (acted.account.role !== ADMIN) throw new Refusal('notAdmin')
  return { ...acted, isFresh: isFreshAt(deps, acted.account.provenAt, now) }
}

/** The session is live and an admin's, or it is the command line. */
export function isOperator(db: Database, operator: Operator, now: number): Authority {
  if (!isActor(operator)) return asAuthority(sql`true`)
  return asAuthority(exists(selectLive(db, operator, now, eq(users.role, ADMIN))))
}

/** As `isOperator`, and the session is fresh. */
export function isFreshOperator(
  deps: Pick<Deps, 'db'> & FreshnessDeps,
  operator: Operator,
  now: number,
): Authority {
  if (!isActor(operator)) return asAuthority(sql`true`)
  const isAdmin = whenFresh(deps, now, eq(users.role, ADMIN))
  return asAuthority(exists(selectLive(deps.db, operator, now, isAdmin)))
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
