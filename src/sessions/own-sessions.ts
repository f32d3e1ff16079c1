import { afterChange, eventOf, insertEvent, logEvent } from '../audit/events.ts'
import { Refusal } from '../base/refusals.ts'
import { actAs, type Actor, type ActorDeps, readAs, type ReaderDeps } from '../access/act-as.ts'
import {
  deleteOtherSessions,
  deleteSession,
  isLive,
  selectSessions,
} from '../access/session-store.ts'

/** The actor's account and sessions, latest first. */
export async function listSessions(deps: ReaderDeps, actor: Actor) {
  const { db } = deps
  const [account, sessions] = await readAs(
    deps,
    actor,
    selectSessions(db, actor.userId, deps.now()),
  )
  return { account, sessions }
}

/** @throws {Refusal} `sessionNotFound` for an unknown id and for another user's. */
export async function endSession(deps: ActorDeps, actor: Actor, sessionId: string): Promise<void> {
  const now = deps.now()
  const event = eventOf(actor, 'session_ended', now)
  const [, ended] = await actAs(
    deps,
    actor,
    deleteSession(deps.db, actor.userId, sessionId, isLive(deps.db, actor, now)),
    insertEvent(deps.db, event, afterChange),
  )
  if (ended.length === 0) throw new Refusal('sessionNotFound')
  logEvent(event)
}

/** Signs the actor out everywhere but here. */
export async function endOtherSessions(deps: ActorDeps, actor: Actor): Promise<void> {
  const now = deps.now()
  const event = eventOf(actor, 'session_ended', now, 'all others')
  await actAs(
    deps,
    actor,
    deleteOtherSessions(deps.db, actor, now),
    insertEvent(deps.db, event, isLive(deps.db, actor, now)),
  )
  logEvent(event)
}
