import { and, desc, eq, exists, gt, lte, ne, type SQL } from 'drizzle-orm'
import { sessions, users } from '../../schema/tables.ts'
import type { Database } from '../database/database.ts'
import { asAuthority, type Authority, THE_SERVICE, writing } from '../database/statements.ts'
import type { Deps } from '../deps.ts'
import type { Actor } from './act-as.ts'
import { type FreshnessDeps, whenFresh } from './freshness.ts'
import type { SessionClaims } from './token.ts'

/** Holds when the session exists, has time left, and its user is enabled. */
export function isLive(db: Database, session: SessionClaims, now: number): Authority {
  return asAuthority(exists(selectLive(db, session, now)))
}

/** Holds when the session is live and fresh. */
export function isFresh(
  deps: Pick<Deps, 'db'> & FreshnessDeps,
  session: SessionClaims,
  now: number,
): Authority {
  return asAuthority(exists(selectLive(deps.db, session, now, whenFresh(deps, now))))
}

/** Selects the row of a live session. Inside `exists` it is a condition. */
export function selectLive(db: Database, session: SessionClaims, now: number, when?: SQL) {
  return db
    .select({ id: sessions.id })
    .from(sessions)
    .innerJoin(users, eq(users.id, sessions.userId))
    .where(
      and(
        eq(sessions.id, session.sessionId),
        eq(sessions.userId, session.userId),
        gt(sessions.expiresAt, now),
        eq(users.disabled, false),
        when,
      ),
    )
}

/** Selects the sessions of a user that have time left, latest first. */
export function selectSessions(db: Database, userId: number, now: number) {
  return db
    .select({
      id: sessions.id,
      createdAt: sessions.createdAt,
      expiresAt: sessions.expiresAt,
      network: sessions.network,
      userAgent: sessions.userAgent,
    })
    .from(sessions)
    .where(and(eq(sessions.userId, userId), gt(sessions.expiresAt, now)))
    .orderBy(desc(sessions.createdAt), sessions.id)
}

/** Holds for one session of a user. */
export function isSession(userId: number, sessionId: string): SQL | undefined {
  return and(eq(sessions.userId, userId), eq(sessions.id, sessionId))
}

/** Holds for every session of a user. */
export function isSessionOf(userId: number): SQL {
  return eq(sessions.userId, userId)
}

/** Holds for every session of a user but this one. */
export function isOtherSession({ userId, sessionId }: SessionClaims): SQL | undefined {
  return and(eq(sessions.userId, userId), ne(sessions.id, sessionId))
}

/** Holds while a session that fits `which` exists, for an event that stands before its deletion. */
export function hasSession(db: Database, which?: SQL): SQL {
  return exists(db.select({ id: sessions.id }).from(sessions).where(which))
}

/**
 * Ends sessions. The statement stands after every statement of its batch that needs the actor's
 * session.
 *
 * @param which `isSession`, `isSessionOf` or `isOtherSession`. Without it, every session of every
 *   user ends.
 */
export function deleteSessions(db: Database, by: Authority, which?: SQL) {
  return writing(db, by).delete(sessions, which).returning({ id: sessions.id })
}

/** Records that the user of a live session has just proved a password or a code. */
export function confirmLiveSession(db: Database, actor: Actor, now: number) {
  return writing(db, isLive(db, actor, now)).update(
    sessions,
    { confirmedAt: now },
    isSession(actor.userId, actor.sessionId),
  )
}

/** Records the network that a session was last used from. */
export function moveSession(db: Database, actor: Actor) {
  // The session was live in the round trip before. A session that has ended has no row.
  return writing(db, THE_SERVICE).update(
    sessions,
    { network: actor.network },
    isSession(actor.userId, actor.sessionId),
  )
}

export function pruneSessions(db: Database, now: number) {
  return writing(db, THE_SERVICE).delete(sessions, lte(sessions.expiresAt, now))
}
