import { logDeletions } from '../../core/audit/deletions.ts'
import { insertEvent, logEvent } from '../../core/audit/events.ts'
import { Refusal } from '../../core/base/refusals.ts'
import { selectUser } from '../../core/accounts/store.ts'
import { actAsOperator, eventBy, isOperator, type Operator } from '../../core/access/operators.ts'
import type { ActorDeps } from '../../core/access/act-as.ts'
import { appPasswordDeletion, isAppPasswordOfUser } from '../../core/access/app-password-store.ts'
import { allSessions, endSessions, oneSession } from '../../core/access/endings.ts'
import { hasSession, selectSessions } from '../../core/access/session-store.ts'

/**
 * Lists the sessions of any user for an operator, latest first.
 *
 * @throws {Refusal} `notAdmin`, `userNotFound`.
 */
export async function listSessionsOf(deps: ActorDeps, operator: Operator, userId: number) {
  const { user, sessions } = await actAsOperator(deps, operator, {
    user: selectUser(deps.db, userId),
    sessions: selectSessions(deps.db, userId, deps.now()),
  })
  if (user.length === 0) throw new Refusal('userNotFound')
  return sessions
}

/**
 * @throws {Refusal} `notAdmin`; `sessionNotFound` for an unknown id and for the session of another
 *   user.
 */
export async function endSessionOf(
  deps: ActorDeps,
  operator: Operator,
  userId: number,
  sessionId: string,
): Promise<void> {
  const { db } = deps
  const now = deps.now()
  const by = isOperator(db, operator, now)
  const ending = oneSession(userId, sessionId)
  const event = eventBy(operator, userId, 'session_ended', now)
  const { ended } = await actAsOperator(deps, operator, {
    event: insertEvent(db, by, event, hasSession(db, ending.sessions)),
    ...endSessions(db, by, ending),
  })
  if (ended.length === 0) throw new Refusal('sessionNotFound')
  logEvent(event)
}

/**
 * Ends every session of any user and deletes the user's app passwords.
 *
 * @returns The number of sessions and of app passwords that ended.
 * @throws {Refusal} `notAdmin`, `userNotFound`.
 */
export async function endEverythingOf(
  deps: ActorDeps,
  operator: Operator,
  userId: number,
): Promise<{ sessions: number; appPasswords: number }> {
  const { db } = deps
  const now = deps.now()
  const by = isOperator(db, operator, now)
  const ending = allSessions(userId)
  const event = eventBy(operator, userId, 'session_ended', now, 'all')
  const deletion = eventBy(operator, userId, 'token_deleted', now)
  const { user, ended, deleted } = await actAsOperator(deps, operator, {
    user: selectUser(db, userId),
    event: insertEvent(db, by, event, hasSession(db, ending.sessions)),
    ...appPasswordDeletion(db, by, isAppPasswordOfUser(userId), deletion),
    ...endSessions(db, by, ending),
  })
  if (user.length === 0) throw new Refusal('userNotFound')
  if (ended.length > 0) logEvent(event)
  logDeletions(deletion, deleted)
  return { sessions: ended.length, appPasswords: deleted.length }
}

/**
 * Ends the sessions of every user, including operators. A restored backup may contain sessions that
 * have ended since.
 *
 * @returns The number of sessions that ended.
 * @throws {Refusal} `notAdmin`.
 */
export async function endEverySession(deps: ActorDeps, operator: Operator): Promise<number> {
  const { db } = deps
  const now = deps.now()
  const by = isOperator(db, operator, now)
  const event = eventBy(operator, undefined, 'session_ended', now, 'everyone')
  const { ended } = await actAsOperator(deps, operator, {
    event: insertEvent(db, by, event, hasSession(db)),
    ...endSessions(db, by, {}),
  })
  if (ended.length > 0) logEvent(event)
  return ended.length
}
