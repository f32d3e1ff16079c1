import { afterChange, insertEvent, logEvent } from '../audit/events.ts'
import { Refusal } from '../base/refusals.ts'
import { selectUser } from '../accounts/store.ts'
import { actAsOperator, eventBy, isOperator, type Operator } from '../access/operators.ts'
import type { ActorDeps } from '../access/act-as.ts'
import {
  deleteEverySession,
  deleteSession,
  deleteSessions,
  selectSessions,
} from '../access/session-store.ts'

/**
 * Where any user is signed in, for an operator; the latest first.
 *
 * @throws {Refusal} `notAdmin`, `userNotFound`.
 */
export async function listSessionsOf(deps: ActorDeps, operator: Operator, userId: number) {
  const [[user], sessions] = await actAsOperator(
    deps,
    operator,
    selectUser(deps.db, userId),
    selectSessions(deps.db, userId, deps.now()),
  )
  if (user === undefined) throw new Refusal('userNotFound')
  return sessions
}

/** @throws {Refusal} `notAdmin`; `sessionNotFound` for an unknown id and for another user's. */
export async function endSessionOf(
  deps: ActorDeps,
  operator: Operator,
  userId: number,
  sessionId: string,
): Promise<void> {
  const now = deps.now()
  const event = eventBy(operator, userId, 'session_ended', now)
  const [ended] = await actAsOperator(
    deps,
    operator,
    deleteSession(deps.db, userId, sessionId, isOperator(deps.db, operator, now)),
    insertEvent(deps.db, event, afterChange),
  )
  if (ended.length === 0) throw new Refusal('sessionNotFound')
  logEvent(event)
}

/**
 * Signs any user out everywhere.
 *
 * @returns How many sessions that ended.
 * @throws {Refusal} `notAdmin`, `userNotFound`.
 */
export async function endSessionsOf(
  deps: ActorDeps,
  operator: Operator,
  userId: number,
): Promise<number> {
  const now = deps.now()
  const event = eventBy(operator, userId, 'session_ended', now, 'all')
  const [[user], ended] = await actAsOperator(
    deps,
    operator,
    selectUser(deps.db, userId),
    deleteSessions(deps.db, userId, isOperator(deps.db, operator, now)),
    insertEvent(deps.db, event, afterChange),
  )
  if (user === undefined) throw new Refusal('userNotFound')
  if (ended.length > 0) logEvent(event)
  return ended.length
}

/**
 * Signs everybody out, operators too: after a backup has brought sessions back that had ended.
 *
 * @returns How many sessions that ended.
 * @throws {Refusal} `notAdmin`.
 */
export async function endEverySession(deps: ActorDeps, operator: Operator): Promise<number> {
  const now = deps.now()
  const event = eventBy(operator, undefined, 'session_ended', now, 'everyone')
  const [ended] = await actAsOperator(
    deps,
    operator,
    deleteEverySession(deps.db, isOperator(deps.db, operator, now)),
    insertEvent(deps.db, event, afterChange),
  )
  if (ended.length > 0) logEvent(event)
  return ended.length
}
