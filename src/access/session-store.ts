import { and, desc, eq, exists, gt, lte, ne, type SQL } from 'drizzle-orm'
import { sessions, users } from '../../schema/tables.ts'
import { afterChange } from '../audit/events.ts'
import type { Database } from '../database/database.ts'
import type { Deps } from '../deps.ts'
import type { Actor } from './act-as.ts'
import { type FreshnessDeps, whenFresh } from './freshness.ts'
import type { SessionClaims } from './token.ts'

/**
 * A condition for statements that write: the session exists, has time left, and its user is
 * enabled.
 */
export function isLive(db: Database, session: SessionClaims, now: number) {
  return exists(selectLive(db, session, now))
}

/** As `isLive`, and the session is fresh. */
export function isFresh(
  deps: Pick<Deps, 'db'> & FreshnessDeps,
  session: SessionClaims,
  now: number,
): SQL {
  return exists(selectLive(deps.db, session, now, whenFresh(deps, now)))
}

/** The row of a live session; in `exists`, a condition. */
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

/** The sessions of a user that have time left, latest first. */
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

/** Ends one session of a user. */
export function deleteSession(db: Database, userId: number, sessionId: string, when?: SQL) {
  return db
    .delete(sessions)
    .where(and(eq(sessions.id, sessionId), eq(sessions.userId, userId), when))
    .returning({ id: sessions.id })
}

/** Ends every session of everybody. */
export function deleteEverySession(db: Database, when: SQL) {
  return db.delete(sessions).where(when).returning({ id: sessions.id })
}

/** Ends every session of a user but the actor's own, which must be live. */
export function deleteOtherSessions(db: Database, actor: Actor, now: number, when?: SQL) {
  const isOther = and(eq(sessions.userId, actor.userId), ne(sessions.id, actor.sessionId))
  return db.delete(sessions).where(and(isOther, isLive(db, actor, now), when))
}

/** Ends every session of a user. */
export function deleteSessions(db: Database, userId: number, when: SQL) {
  return db
    .delete(sessions)
    .where(and(eq(sessions.userId, userId), when))
    .returning({ id: sessions.id })
}

/** Ends every session of a user, if the statement before in the batch changed a row. */
export function deleteSessionsAfterChange(db: Database, userId: number) {
  return db.delete(sessions).where(and(eq(sessions.userId, userId), afterChange))
}

/** Notes that the user of a live session has just shown a password or a code. */
export function confirmLiveSession(db: Database, actor: Actor, now: number) {
  return db
    .update(sessions)
    .set({ confirmedAt: now })
    .where(
      and(
        eq(sessions.id, actor.sessionId),
        eq(sessions.userId, actor.userId),
        isLive(db, actor, now),
      ),
    )
}

/** Notes where a session was last used from. */
export function moveSession(db: Database, actor: Actor) {
  return db
    .update(sessions)
    .set({ network: actor.network })
    .where(and(eq(sessions.id, actor.sessionId), eq(sessions.userId, actor.userId)))
}

export function pruneSessions(db: Database, now: number) {
  return db.delete(sessions).where(lte(sessions.expiresAt, now))
}
