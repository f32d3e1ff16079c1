import { and, count, eq, exists, gt, isNotNull, isNull, lt, type SQL, sql } from 'drizzle-orm'
import { recoveryCodes, sessions, users } from '../../../schema/tables.ts'
import type { SessionActor } from '../../core/access/act-as.ts'
import { isSession } from '../../core/access/session-store.ts'
import { existsUser } from '../../core/accounts/store.ts'
import { type Authority, writing } from '../../core/database/statements.ts'
import type { Database } from '../../core/deps.ts'
import type { Enrolled, SecondFactor, WithSecondFactor } from './second-factor.ts'

/**
 * Holds for a row of `users` with an authenticator app. `needsCode` is the same check of a row that
 * was read.
 */
export function isEnrolled(): SQL {
  return isNotNull(users.totpSeed)
}

/** Holds for a row of `users` with the second factor of `user`, or without one if `user` is without. */
export function hasSameFactor(user: WithSecondFactor): SQL {
  return sql`${users.totpSeed} is ${user.totpSeed}`
}

/** Holds while this seed of the user is in force. */
export function hasSeed(db: Database, userId: number, seed: string): SQL {
  return existsUser(db, and(eq(users.id, userId), eq(users.totpSeed, seed)))
}

/** The session that asked for a seed. No other session sees, confirms or replaces it. */
type Holder = Pick<SessionActor, 'userId' | 'sessionId'>

/**
 * Stores the latest seed that a session has received. The seed in force stays.
 *
 * @param when A condition on the row of `users`: that two-step verification is off, or that the
 *   user may move it to another phone.
 */
export function setPendingSeed(
  db: Database,
  by: Authority,
  { userId, sessionId }: Holder,
  pending: { seed: string; expiresAt: number },
  when: SQL | undefined,
) {
  const set = { pendingTotpSeed: pending.seed, pendingTotpExpiresAt: pending.expiresAt }
  const mayHave = existsUser(db, and(eq(users.id, userId), when))
  return writing(db, by)
    .update(sessions, set, and(isSession(userId, sessionId), mayHave))
    .returning({ id: sessions.id })
}

/**
 * Selects the sealed seeds of a user: the seed in force, and the pending seed of the session that
 * can still be confirmed.
 */
export function selectSeeds(db: Database, { userId, sessionId }: Holder, now: number) {
  const isOfHolder = and(isSession(userId, sessionId), gt(sessions.pendingTotpExpiresAt, now))
  return db
    .select({ current: users.totpSeed, pending: sessions.pendingTotpSeed })
    .from(users)
    .leftJoin(sessions, isOfHolder)
    .where(eq(users.id, userId))
}

/** A seed that a session has received but not confirmed. */
interface PendingSeed {
  holder: Holder
  /** Sealed. */
  seed: string
  /** The seed in force that it replaces; null when it turns two-step verification on. */
  current: string | null
}

/** Holds while this seed can be confirmed and the seed in force is the same. */
export function isPending(
  db: Database,
  { holder: { userId, sessionId }, seed, current }: PendingSeed,
  now: number,
): SQL {
  const held = db
    .select({ id: sessions.id })
    .from(sessions)
    .innerJoin(users, eq(users.id, sessions.userId))
    .where(
      and(
        isSession(userId, sessionId),
        eq(sessions.pendingTotpSeed, seed),
        gt(sessions.pendingTotpExpiresAt, now),
        sql`${users.totpSeed} is ${current}`,
      ),
    )
  return exists(held)
}

/** Puts a pending seed in force. Returns no row unless `isPending` holds. */
export function confirmPendingSeed(db: Database, by: Authority, pending: PendingSeed, now: number) {
  const which = and(eq(users.id, pending.holder.userId), isPending(db, pending, now))
  return writing(db, by)
    .update(users, { totpSeed: pending.seed, totpStep: 0 }, which)
    .returning({ id: users.id })
}

/** Forgets the pending seed of a session once it is in force. */
export function forgetPendingSeed(db: Database, by: Authority, { holder, seed }: PendingSeed) {
  const { userId, sessionId } = holder
  const set = { pendingTotpSeed: null, pendingTotpExpiresAt: 0 }
  const which = and(isSession(userId, sessionId), hasSeed(db, userId, seed))
  return writing(db, by).update(sessions, set, which)
}

/** Forgets the pending seeds of all sessions of a user, as a move to another phone that has begun. */
export function forgetPendingSeeds(db: Database, by: Authority, userId: number, when: SQL) {
  const set = { pendingTotpSeed: null, pendingTotpExpiresAt: 0 }
  return writing(db, by).update(sessions, set, and(eq(sessions.userId, userId), when))
}

/**
 * Turns off the two-step verification of a user. It changes the row of a user without it as well.
 *
 * @param seed When given, the statement works only while this seed is in force.
 */
export function clearSeed(db: Database, by: Authority, userId: number, seed?: string) {
  const isInForce = seed === undefined ? undefined : eq(users.totpSeed, seed)
  return writing(db, by)
    .update(users, { totpSeed: null }, and(eq(users.id, userId), isInForce))
    .returning({ id: users.id })
}

/** Replaces the sealed seed of a user with the same seed under another key. */
export function replaceSeed(db: Database, by: Authority, user: Enrolled, resealed: string) {
  const isSame = and(eq(users.id, user.id), eq(users.totpSeed, user.totpSeed))
  return writing(db, by).update(users, { totpSeed: resealed }, isSame)
}

/**
 * Holds while the code can be used: its time step is later than every used one, or the recovery
 * code belongs to the user and is unused.
 */
export function isUsable(db: Database, user: Enrolled, factor: SecondFactor): SQL {
  return factor.kind === 'time step'
    ? existsUser(db, isLaterStep(user, factor.timeStep))
    : existsCode(db, isUnusedCode(user, factor))
}

/**
 * Uses a code up. Returns a row when `isUsable` held, so only the first of several concurrent
 * requests succeeds.
 *
 * @param sessionId The session that begins with the code, if one does. `isUsedFor` finds it.
 */
export function consumeSecondFactor(
  db: Database,
  by: Authority,
  user: Enrolled,
  factor: SecondFactor,
  when?: SQL,
  sessionId?: string,
) {
  if (factor.kind === 'time step') {
    const set = { totpStep: factor.timeStep, totpSession: sessionId ?? null }
    return writing(db, by)
      .update(users, set, and(isLaterStep(user, factor.timeStep), when))
      .returning({ userId: users.id })
  }
  const which = and(isUnusedCode(user, factor), when)
  const { userId } = recoveryCodes
  const written = writing(db, by)
  return sessionId === undefined
    ? written.delete(recoveryCodes, which).returning({ userId })
    : written.update(recoveryCodes, { usedBy: sessionId }, which).returning({ userId })
}

/** Holds when the code was used up for this session, also after later changes. */
export function isUsedFor(
  db: Database,
  user: Enrolled,
  factor: SecondFactor,
  sessionId: string,
): SQL {
  if (factor.kind === 'time step') {
    const isThis = and(eq(users.totpStep, factor.timeStep), eq(users.totpSession, sessionId))
    return existsUser(db, and(eq(users.id, user.id), isThis))
  }
  return existsCode(db, and(isCode(user, factor), eq(recoveryCodes.usedBy, sessionId)))
}

function isLaterStep(user: Enrolled, timeStep: number): SQL | undefined {
  return and(eq(users.id, user.id), eq(users.totpSeed, user.totpSeed), lt(users.totpStep, timeStep))
}

function isUnusedCode(user: Enrolled, factor: SecondFactor): SQL | undefined {
  return and(isCode(user, factor), isNull(recoveryCodes.usedBy))
}

function isCode(user: Enrolled, factor: SecondFactor): SQL | undefined {
  const isThis =
    factor.kind === 'recovery code' ? eq(recoveryCodes.codeHash, factor.hash) : sql`false`
  return and(eq(recoveryCodes.userId, user.id), isThis)
}

function existsCode(db: Database, which: SQL | undefined): SQL {
  return exists(db.select({ userId: recoveryCodes.userId }).from(recoveryCodes).where(which))
}

/** Deletes all recovery codes of a user; with `when`, only if that condition holds. */
export function deleteRecoveryCodes(db: Database, by: Authority, userId: number, when?: SQL) {
  return writing(db, by).delete(recoveryCodes, and(eq(recoveryCodes.userId, userId), when))
}

/** Counts the recovery codes that a user can still use. */
export function countUnusedCodes(db: Database, userId: number) {
  return db
    .select({ total: count() })
    .from(recoveryCodes)
    .where(and(eq(recoveryCodes.userId, userId), isNull(recoveryCodes.usedBy)))
}

/** Stores hashed recovery codes for a user; with `when`, only if that condition holds. */
export function insertRecoveryCodes(
  db: Database,
  by: Authority,
  userId: number,
  hashes: string[],
  when?: SQL,
) {
  const from = sql`json_each(${JSON.stringify(hashes)})`
  return writing(db, by)
    .insert(recoveryCodes, { userId, codeHash: sql`json_each.value` }, { from, where: when })
    .returning({ userId: recoveryCodes.userId })
}
