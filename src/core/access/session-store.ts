import { and, desc, eq, exists, gt, lte, ne, or, type SQL, sql } from 'drizzle-orm'
import { appPasswords, sessions, users } from '../../../schema/tables.ts'
import type { Database } from '../database/database.ts'
import { asAuthority, type Authority, THE_SERVICE, writing } from '../database/statements.ts'
import type { Deps } from '../deps.ts'
import { isEnabled } from '../accounts/conditions.ts'
import { accountColumns } from '../accounts/accounts.ts'
import { GROUP_NAMES } from '../accounts/groups.ts'
import type { UserId } from '../database/user-id.ts'
import { type Actor, isSessionActor, type SessionActor } from './actor.ts'
import { hasChangesLeft } from './changes.ts'
import { selectLiveAppPassword } from './app-password-store.ts'
import { type Method, whenEnough, withMethods } from './sign-in-methods.ts'
import type { FreshnessDeps } from './is-fresh.ts'
import { whenFresh } from './freshness.ts'
import { NOTED_MILLISECONDS } from './session-use.ts'
import type { SessionClaims } from './token.ts'

/**
 * Holds when the session exists, has time left, has the second factor that its user must use, and
 * its user is enabled and has not made too many changes. An app password must have the scope that
 * the request needs.
 */
export function isLive(db: Database, actor: Actor, now: number): Authority {
  return asAuthority(exists(selectLiveActor(db, actor, now)))
}

/**
 * Works like `isLive`, however many changes the user has made: for actions that only take access
 * away.
 */
export function mayEnd(db: Database, actor: Actor, now: number): Authority {
  return asAuthority(exists(selectAnyLive(db, actor, now)))
}

/** Works like `mayEnd`. A session must be fresh. */
export function mayEndFresh(
  deps: Pick<Deps, 'db'> & FreshnessDeps,
  actor: Actor,
  now: number,
): Authority {
  const isFreshIf = isSessionActor(actor) ? whenFresh(deps, now) : undefined
  return asAuthority(exists(selectAnyLive(deps.db, actor, now, isFreshIf)))
}

/** Works like `isLive`, for the confirmation of a session: other changes don't count. */
export function mayConfirm(db: Database, actor: SessionActor, now: number): Authority {
  return asAuthority(
    exists(selectAnyLive(db, actor, now, hasChangesLeft(actor, 'confirmation', now))),
  )
}

/** Holds when the session is live and fresh, and for an app password that `isLive` admits. */
export function isFresh(
  deps: Pick<Deps, 'db'> & FreshnessDeps,
  actor: Actor,
  now: number,
): Authority {
  return asAuthority(exists(selectFreshActor(deps, actor, now)))
}

/** Selects the row of a live session or app password. Inside `exists` it is a condition. */
export function selectLiveActor(db: Database, actor: Actor, now: number, when?: SQL) {
  return selectAnyLive(db, actor, now, and(hasChangesLeft(actor, 'change', now), when))
}

function selectAnyLive(db: Database, actor: Actor, now: number, when?: SQL) {
  return isSessionActor(actor)
    ? selectLive(db, actor, now, when)
    : selectLiveAppPassword(db, actor, now, when)
}

/** Works like `selectLiveActor`. A session must be fresh; creating an app password needed one. */
export function selectFreshActor(
  deps: Pick<Deps, 'db'> & FreshnessDeps,
  actor: Actor,
  now: number,
  when?: SQL,
) {
  const isFreshIf = isSessionActor(actor) ? whenFresh(deps, now, when) : when
  return selectLiveActor(deps.db, actor, now, isFreshIf)
}

function selectLive(db: Database, session: SessionClaims, now: number, when?: SQL) {
  return db
    .select({ id: sessions.id })
    .from(sessions)
    .innerJoin(users, eq(users.id, sessions.userId))
    .where(and(isLiveSession(session, now), when))
}

/** Returns the methods with which an actor makes something: those of the session or app password. */
export function methodsOf(db: Database, actor: Actor): SQL {
  const found = isSessionActor(actor)
    ? db
        .select({ amr: sessions.amr })
        .from(sessions)
        .where(isSession(actor.userId, actor.sessionId))
    : db
        .select({ amr: appPasswords.amr })
        .from(appPasswords)
        .where(eq(appPasswords.tokenHash, actor.tokenHash))
  return sql`(${found})`
}

/** Selects the account of a live session, its groups, and when the session ends. */
export function selectAccountOf(db: Database, session: SessionClaims, now: number) {
  return db
    .select({ ...accountColumns, groupNames: GROUP_NAMES, expiresAt: sessions.expiresAt })
    .from(sessions)
    .innerJoin(users, eq(users.id, sessions.userId))
    .where(isLiveSession(session, now))
}

/**
 * Holds for the row of a session and its user while the session lives: it has time left, the second
 * factor that its user must use, and its user is enabled.
 */
function isLiveSession({ userId, sessionId, mayLackFactor }: SessionClaims, now: number) {
  return and(
    isSession(userId, sessionId),
    gt(sessions.expiresAt, now),
    isEnabled(now),
    whenEnough(mayLackFactor),
  )
}

/** Selects the sessions of a user that have time left, latest first. */
export function selectSessions(db: Database, userId: UserId, now: number) {
  return db
    .select({
      id: sessions.id,
      createdAt: sessions.createdAt,
      expiresAt: sessions.expiresAt,
      lastActiveAt: lastUseOf(),
      network: sessions.network,
      userAgent: sessions.userAgent,
      amr: sessions.amr,
    })
    .from(sessions)
    .where(and(eq(sessions.userId, userId), gt(sessions.expiresAt, now)))
    .orderBy(desc(sessions.createdAt), sessions.id)
}

/** When the session was last used, to the hour. */
function lastUseOf() {
  const { createdAt, confirmedAt, lastActiveAt } = sessions
  return sql<number>`max(${createdAt}, ${confirmedAt}, ${lastActiveAt})`.as('last_use')
}

/** Selects a session of the user whom programs know by this `sub`. */
export function selectSessionOf(db: Database, sub: string, sessionId: string) {
  return db
    .select({ userId: sessions.userId, sessionId: sessions.id })
    .from(users)
    .innerJoin(sessions, eq(sessions.userId, users.id))
    .where(and(eq(users.sub, sub), eq(sessions.id, sessionId)))
}

/** Holds for one session of a user. */
export function isSession(userId: UserId, sessionId: string): SQL | undefined {
  return and(eq(sessions.userId, userId), eq(sessions.id, sessionId))
}

/** Holds for every session of a user. */
export function isSessionOf(userId: UserId): SQL {
  return eq(sessions.userId, userId)
}

/** Holds while a session that fits `which` exists, for an event that stands before its deletion. */
export function hasSession(db: Database, which?: SQL): SQL {
  return exists(db.select({ id: sessions.id }).from(sessions).where(which))
}

/** Records that the user of a live session has just proved who they are. For actions that confirm. */
export function confirmLiveSession(db: Database, actor: SessionActor, method: Method, now: number) {
  return confirmSessionWhen(db, mayConfirm(db, actor, now), actor, [method], now)
}

/** Works like `confirmLiveSession`, under a condition that includes that the session is live. */
export function confirmSessionWhen(
  db: Database,
  by: Authority,
  { userId, sessionId }: SessionClaims,
  methods: readonly Method[],
  now: number,
) {
  return writing(db, by)
    .update(sessions, { confirmedAt: now, amr: withMethods(methods) }, isSession(userId, sessionId))
    .returning({ id: sessions.id })
}

/** Adds the second factor that the user has just set up to the session. */
export function strengthenSession(
  db: Database,
  by: Authority,
  { userId, sessionId }: SessionClaims,
  methods: readonly Method[],
  when?: SQL,
) {
  const set = { amr: withMethods(methods) }
  return writing(db, by).update(sessions, set, and(isSession(userId, sessionId), when))
}

/** Records when and from which network a session was used, unless `isSessionUseNoted` holds in D1. */
export function noteSessionUse(db: Database, actor: SessionActor, now: number) {
  const isNews = or(
    ne(sessions.network, actor.network),
    lte(sessions.lastActiveAt, now - NOTED_MILLISECONDS),
  )
  // The session was live in the round trip before. A session that has ended has no row.
  return writing(db, THE_SERVICE).update(
    sessions,
    { network: actor.network, lastActiveAt: now },
    and(isSession(actor.userId, actor.sessionId), isNews),
  )
}

export function pruneSessions(db: Database, now: number) {
  return writing(db, THE_SERVICE).delete(sessions, lte(sessions.expiresAt, now))
}
