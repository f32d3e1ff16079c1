import { and, eq, exists, ne, type SQL, sql } from 'drizzle-orm'
import { openidGrants, sessions } from '../../schema/tables.ts'
import type { Database, Deps } from '../deps.ts'
import { type Authority, writing } from '../database/statements.ts'
import type { UserId } from '../database/user-id.ts'
import { type Actor, isSessionActor } from './actor.ts'
import { hasSession, isSession, isSessionOf } from './session-store.ts'

/** The dependencies of a decision that ends sessions, or what programs got in them. */
export type EndingDeps = Pick<Deps, 'db' | 'outbox'>

/**
 * Has programs told of the sessions that this request ends (`openid/back-channel.ts`). Triggers
 * write whom to tell, in the transaction that ends the session.
 */
export function tellPrograms({ outbox }: Pick<Deps, 'outbox'>): void {
  outbox.hasLogouts = true
}

/** Whose sessions end, and with them what programs got in them. Without conditions: everybody's. */
export interface Ending {
  sessions?: SQL | undefined
  /** For `openid_grants`, whose `session_id` is empty when a refresh token outlived its session. */
  grants?: SQL | undefined
}

/** Ends one session of a user. */
export function oneSession(userId: UserId, sessionId: string): Ending {
  const { userId: owner, sessionId: id } = openidGrants
  return {
    sessions: isSession(userId, sessionId),
    grants: and(eq(owner, userId), eq(id, sessionId)),
  }
}

/** Ends every session of a user. */
export function allSessions(userId: UserId): Ending {
  return { sessions: isSessionOf(userId), grants: isGrantOf(userId) }
}

/** Ends every session of a user but the actor's. */
export function otherSessions(actor: Actor): Ending {
  const { userId } = actor
  if (!isSessionActor(actor)) return allSessions(userId)
  const { sessionId } = actor
  return {
    sessions: and(isSessionOf(userId), ne(sessions.id, sessionId)),
    grants: and(isGrantOf(userId), ne(openidGrants.sessionId, sessionId)),
  }
}

/**
 * Ends the other sessions of a user whose second factor changes, and everything that programs got,
 * in the present session as well: a thief may have got it there.
 */
export function withNewFactor(actor: Actor): Ending {
  return { ...otherSessions(actor), grants: isGrantOf(actor.userId) }
}

/** Holds while there is something that an ending ends, for an event that stands before it. */
export function endsSomething(db: Database, { sessions: which, grants }: Ending): SQL {
  const given = db.select({ id: openidGrants.id }).from(openidGrants).where(grants)
  return sql`(${hasSession(db, which)} or ${exists(given)})`
}

/** Holds for everything that programs have of a user. */
export function isGrantOf(userId: UserId): SQL {
  return eq(openidGrants.userId, userId)
}

/**
 * Ends sessions at the wish of a user or an operator. Refresh tokens end too: they outlive only a
 * sign-out and the time of their session. The statements stand after every statement of their batch
 * that needs the actor's session.
 *
 * @param when A further condition.
 * @returns Parts of a batch.
 */
export function endSessions(deps: EndingDeps, by: Authority, ending: Ending, when?: SQL) {
  return {
    endedGrants: deleteGrants(deps.db, by, and(ending.grants, when)),
    ended: deleteSessions(deps, by, and(ending.sessions, when)),
  }
}

/**
 * Deletes sessions. What programs got in them ends, except refresh tokens (a trigger of migration
 * 0011).
 */
export function deleteSessions(deps: EndingDeps, by: Authority, which?: SQL) {
  tellPrograms(deps)
  return sessionDeletion(deps.db, by, which)
}

/**
 * The statement of `deleteSessions`, for a decision that rarely ends a session. It calls
 * `tellPrograms` when the statement has returned rows: otherwise every request would ask D1 whom to
 * tell.
 */
export function sessionDeletion(db: Database, by: Authority, which?: SQL) {
  return writing(db, by).delete(sessions, which).returning({ id: sessions.id })
}

/** Deletes what programs got, and with it every code and token that came of it. */
export function deleteGrants(db: Database, by: Authority, which?: SQL) {
  return writing(db, by).delete(openidGrants, which).returning({
    userId: openidGrants.userId,
    clientId: openidGrants.clientId,
  })
}
