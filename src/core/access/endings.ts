import { and, eq, exists, lt, ne, type SQL, sql } from 'drizzle-orm'
import type { RunnableQuery } from 'drizzle-orm/runnable-query'
import { links, openidGrants, sessions } from '../../../schema/tables.ts'
import type { Database } from '../deps.ts'
import { type Authority, sendingAfter, writing } from '../database/statements.ts'
import type { UserId } from '../database/user-id.ts'
import { type Actor, isSessionActor } from './actor.ts'
import { hasSession, isSession, isSessionOf } from './session-store.ts'

/**
 * Has programs told of what a write ends (`openid/back-channel.ts`). Triggers write whom to tell,
 * in the transaction that ends it.
 */
export function tellingPrograms<Result>(write: RunnableQuery<Result, 'sqlite'>) {
  return sendingAfter('logouts', write)
}

/**
 * Conditions on the sessions that end with what programs got in them; without any, all sessions
 * end.
 */
export interface Ending {
  sessions?: SQL | undefined
  /**
   * The condition on `openid_grants`: its `session_id` is empty when a refresh token outlived its
   * session.
   */
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
export function endSessions(db: Database, by: Authority, ending: Ending, when?: SQL) {
  return {
    endedGrants: deleteGrants(db, by, and(ending.grants, when)),
    ended: deleteSessions(db, by, and(ending.sessions, when)),
  }
}

/**
 * Deletes sessions. What programs got in them ends, except refresh tokens (a trigger of migration
 * 0011).
 */
export function deleteSessions(db: Database, by: Authority, which?: SQL) {
  return tellingPrograms(writing(db, by).delete(sessions, which).returning({ id: sessions.id }))
}

/** Deletes what programs got, and with it every code and token that came of it. */
export function deleteGrants(db: Database, by: Authority, which?: SQL) {
  const { userId, clientId } = openidGrants
  return tellingPrograms(
    writing(db, by).delete(openidGrants, which).returning({ userId, clientId }),
  )
}

/** Deletes the links of a user that are not used up, so that another end revives none. */
export function withdrawLinksOf(db: Database, by: Authority, userId: UserId, when: SQL) {
  return writing(db, by)
    .delete(links, and(eq(links.userId, userId), lt(links.used, links.uses), when))
    .returning({ id: links.id })
}
