import { and, count, eq, exists, gt, isNotNull, isNull, lt, type SQL, sql } from 'drizzle-orm'
import { recoveryCodes, users } from '../../../schema/tables.ts'
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

/**
 * Stores the latest seed that a user has received. The seed in force stays.
 *
 * @param when A condition on the row: that two-step verification is off, or that the user may move
 *   it to another phone.
 */
export function setPendingSeed(
  db: Database,
  by: Authority,
  userId: number,
  pending: { seed: string; expiresAt: number },
  when: SQL | undefined,
) {
  const set = { pendingTotpSeed: pending.seed, pendingTotpExpiresAt: pending.expiresAt }
  return writing(db, by)
    .update(users, set, and(eq(users.id, userId), when))
    .returning({ id: users.id })
}

/**
 * Selects the sealed seeds of a user: the seed in force, and the pending seed that can still be
 * confirmed.
 */
export function selectSeeds(db: Database, userId: number, now: number) {
  return db
    .select({
      current: users.totpSeed,
      pending: sql<
        string | null
      >`iif(${users.pendingTotpExpiresAt} > ${now}, ${users.pendingTotpSeed}, null)`.as('pending'),
    })
    .from(users)
    .where(eq(users.id, userId))
}

/** A seed that the user has received but not confirmed. */
interface PendingSeed {
  userId: number
  /** Sealed. */
  seed: string
  /** The seed in force that it replaces; null when it turns two-step verification on. */
  current: string | null
}

/** Holds while this seed can be confirmed and the seed in force is the same. */
export function isPending(db: Database, pending: PendingSeed, now: number): SQL {
  return existsUser(db, isPendingRow(pending, now))
}

/** Puts a pending seed in force. Returns no row unless `isPending` holds. */
export function confirmPendingSeed(db: Database, by: Authority, pending: PendingSeed, now: number) {
  const off = { pendingTotpSeed: null, pendingTotpExpiresAt: 0 }
  return writing(db, by)
    .update(users, { totpSeed: pending.seed, totpStep: 0, ...off }, isPendingRow(pending, now))
    .returning({ id: users.id })
}

function isPendingRow({ userId, seed, current }: PendingSeed, now: number): SQL | undefined {
  return and(
    eq(users.id, userId),
    eq(users.pendingTotpSeed, seed),
    sql`${users.totpSeed} is ${current}`,
    gt(users.pendingTotpExpiresAt, now),
  )
}

/**
 * Turns off the two-step verification of a user. It changes the row of a user without it as well.
 *
 * @param seed When given, the statement works only while this seed is in force.
 */
export function clearSeed(db: Database, by: Authority, userId: number, seed?: string) {
  const isInForce = seed === undefined ? undefined : eq(users.totpSeed, seed)
  const set = { totpSeed: null, pendingTotpSeed: null, pendingTotpExpiresAt: 0 }
  return writing(db, by)
    .update(users, set, and(eq(users.id, userId), isInForce))
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
