import { logDeletions } from '../../core/audit/deletions.ts'
import { eventOf, insertEvent, logEvent } from '../../core/audit/events.ts'
import { Refusal } from '../../core/base/refusals.ts'
import {
  type Actor,
  type ActorDeps,
  endAs,
  readAs,
  type ReaderDeps,
  type SessionActor,
} from '../../core/access/act-as.ts'
import { appPasswordDeletion, isAppPasswordOfUser } from '../../core/access/app-password-store.ts'
import {
  allSessions,
  endSessions,
  endsSomething,
  oneSession,
  otherSessions,
} from '../../core/access/endings.ts'
import { hasSession, mayEnd, selectSessions } from '../../core/access/session-store.ts'

/** Lists the actor's sessions, latest first, with the account. */
export function listSessions(deps: ReaderDeps, actor: Actor) {
  const sessions = selectSessions(deps.db, actor.userId, deps.now())
  return readAs(deps, actor, { sessions })
}

/** @throws {Refusal} `sessionNotFound` for an unknown id and for the session of another user. */
export async function endSession(deps: ActorDeps, actor: Actor, sessionId: string): Promise<void> {
  const { db } = deps
  const now = deps.now()
  const by = mayEnd(db, actor, now)
  const ending = oneSession(actor.userId, sessionId)
  const event = eventOf(actor, 'session_ended', now)
  const { ended } = await endAs(deps, actor, {
    event: insertEvent(db, by, event, hasSession(db, ending.sessions)),
    ...endSessions(db, by, ending),
  })
  if (ended.length === 0) throw new Refusal('sessionNotFound')
  logEvent(event)
}

/**
 * Ends every session of the actor except the present one. From an app password, it ends them all.
 * App passwords stay.
 */
export async function endOtherSessions(deps: ActorDeps, actor: Actor): Promise<void> {
  const { db } = deps
  const now = deps.now()
  const by = mayEnd(db, actor, now)
  const event = eventOf(actor, 'session_ended', now, 'all others')
  const others = otherSessions(actor)
  const { ended, endedGrants } = await endAs(deps, actor, {
    event: insertEvent(db, by, event, endsSomething(db, others)),
    ...endSessions(db, by, others),
  })
  if (ended.length + endedGrants.length > 0) logEvent(event)
}

/** Ends every session of the actor, including the present one, and deletes all app passwords. */
export async function endEverything(deps: ActorDeps, actor: SessionActor): Promise<void> {
  const { db } = deps
  const { userId } = actor
  const now = deps.now()
  const by = mayEnd(db, actor, now)
  const event = eventOf(actor, 'session_ended', now, 'everything')
  const deletion = eventOf(actor, 'token_deleted', now)
  const { deleted } = await endAs(deps, actor, {
    event: insertEvent(db, by, event),
    ...appPasswordDeletion(db, by, isAppPasswordOfUser(userId), deletion),
    ...endSessions(db, by, allSessions(userId)),
  })
  logEvent(event)
  logDeletions(deletion, deleted)
}
