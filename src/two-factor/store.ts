import { and, eq, exists, gt, isNull, lt, type SQL, sql } from 'drizzle-orm'
import { recoveryCodes, users } from '../../schema/tables.ts'
import type { Database, Deps } from '../deps.ts'
import type { FreshnessDeps } from '../access/freshness.ts'
import { isFresh, isLive } from '../access/session-store.ts'
import type { SessionClaims } from '../access/token.ts'
import type { Enrolled, SecondFactor } from './second-factor.ts'

type FreshDeps = Pick<Deps, 'db'> & FreshnessDeps

/** Keeps the seed last handed to the session's user; no row while two-step verification is on. */
export function setPendingSeed(
  db: Database,
  session: SessionClaims,
  pending: { seed: string; expiresAt: number },
  now: number,
) {
  return db
    .update(users)
    .set({ pendingTotpSeed: pending.seed, pendingTotpExpiresAt: pending.expiresAt })
    .where(and(eq(users.id, session.userId), isNull(users.totpSeed), isLive(db, session, now)))
    .returning({ id: users.id })
}

/** The seed in force of a user, and the one that was given and may still be confirmed; sealed. */
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

/**
 * Switches two-step verification on with the seed that was confirmed; no row if it is pending no
 * more, or if the session is not fresh.
 */
export function confirmPendingSeed(
  deps: FreshDeps,
  session: SessionClaims,
  seed: string,
  now: number,
) {
  return deps.db
    .update(users)
    .set({ totpSeed: seed, totpStep: 0, pendingTotpSeed: null, pendingTotpExpiresAt: 0 })
    .where(
      and(
        eq(users.id, session.userId),
        eq(users.pendingTotpSeed, seed),
        isNull(users.totpSeed),
        gt(users.pendingTotpExpiresAt, now),
        isFresh(deps, session, now),
      ),
    )
    .returning({ id: users.id })
}

/** Switches two-step verification off for a fresh session, if this seed is the one in force. */
export function clearSeed(deps: FreshDeps, session: SessionClaims, seed: string, now: number) {
  return deps.db
    .update(users)
    .set({ totpSeed: null, pendingTotpSeed: null, pendingTotpExpiresAt: 0 })
    .where(and(eq(users.id, session.userId), eq(users.totpSeed, seed), isFresh(deps, session, now)))
    .returning({ id: users.id })
}

/** Puts the same seed, sealed anew, in the place of the old box. */
export function replaceSeed(db: Database, user: Enrolled, resealed: string, when: SQL) {
  return db
    .update(users)
    .set({ totpSeed: resealed })
    .where(and(eq(users.id, user.id), eq(users.totpSeed, user.totpSeed), when))
}

/** Holds when this seed is the one in force; `null` for none. */
export function hasSeed(db: Database, userId: number, seed: string | null): SQL {
  const row = db
    .select({ id: users.id })
    .from(users)
    .where(and(eq(users.id, userId), sql`${users.totpSeed} is ${seed}`))
  return exists(row)
}

/**
 * Uses a second factor up: a row comes back for the first who presents it, and none for anybody
 * after, nor for a code that is older than one already used, nor for a recovery code that the user
 * hasn't got.
 *
 * @param sessionId The session that begins with it, if one does; `isUsedFor` finds it there.
 */
export function consumeSecondFactor(
  db: Database,
  user: Enrolled,
  factor: SecondFactor,
  when: SQL,
  sessionId?: string,
) {
  if (factor.kind === 'time step') {
    const isNew = and(eq(users.totpSeed, user.totpSeed), lt(users.totpStep, factor.timeStep))
    return db
      .update(users)
      .set({ totpStep: factor.timeStep, totpSession: sessionId ?? null })
      .where(and(eq(users.id, user.id), isNew, when))
      .returning({ userId: users.id })
  }
  const isGood = and(isRecoveryCodeOf(user, factor), isNull(recoveryCodes.usedBy), when)
  const { userId } = recoveryCodes
  if (sessionId === undefined) return db.delete(recoveryCodes).where(isGood).returning({ userId })
  return db.update(recoveryCodes).set({ usedBy: sessionId }).where(isGood).returning({ userId })
}

/** Holds when the second factor was used up for this session, whatever else has happened since. */
export function isUsedFor(
  db: Database,
  user: Enrolled,
  factor: SecondFactor,
  sessionId: string,
): SQL {
  if (factor.kind === 'time step') {
    const isThis = and(eq(users.totpStep, factor.timeStep), eq(users.totpSession, sessionId))
    return exists(
      db
        .select({ id: users.id })
        .from(users)
        .where(and(eq(users.id, user.id), isThis)),
    )
  }
  return exists(
    db
      .select({ userId: recoveryCodes.userId })
      .from(recoveryCodes)
      .where(and(isRecoveryCodeOf(user, factor), eq(recoveryCodes.usedBy, sessionId))),
  )
}

function isRecoveryCodeOf(user: Enrolled, factor: SecondFactor) {
  const isThis =
    factor.kind === 'recovery code' ? eq(recoveryCodes.codeHash, factor.hash) : sql`false`
  return and(eq(recoveryCodes.userId, user.id), isThis)
}

export function deleteRecoveryCodes(db: Database, userId: number, when: SQL) {
  return db.delete(recoveryCodes).where(and(eq(recoveryCodes.userId, userId), when))
}

/** Gives a user these recovery codes, hashed, if `when` holds. */
export function insertRecoveryCodes(db: Database, userId: number, hashes: string[], when: SQL) {
  return db
    .insert(recoveryCodes)
    .select(
      sql`select ${userId}, value, null from json_each(${JSON.stringify(hashes)}) where ${when}`,
    )
    .returning({ userId: recoveryCodes.userId })
}
