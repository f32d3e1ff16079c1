import { and, eq, gt, isNull } from 'drizzle-orm'
import { users } from '../../schema/tables.ts'
import type { Database } from '../deps.ts'
import { isLive } from '../tokens/sessions.ts'
import type { SessionClaims } from '../tokens/token.ts'

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

/** The seed that the session's user has been given and may still confirm. */
export function selectPendingSeed(db: Database, session: SessionClaims, now: number) {
  return db
    .select({ seed: users.pendingTotpSeed })
    .from(users)
    .where(
      and(
        eq(users.id, session.userId),
        isNull(users.totpSeed),
        gt(users.pendingTotpExpiresAt, now),
      ),
    )
}

/**
 * Switches two-step verification on with the seed that was confirmed; no row if it is pending no
 * more.
 */
export function confirmPendingSeed(
  db: Database,
  session: SessionClaims,
  seed: string,
  now: number,
) {
  return db
    .update(users)
    .set({ totpSeed: seed, totpStep: 0, pendingTotpSeed: null, pendingTotpExpiresAt: 0 })
    .where(
      and(
        eq(users.id, session.userId),
        eq(users.pendingTotpSeed, seed),
        isNull(users.totpSeed),
        gt(users.pendingTotpExpiresAt, now),
        isLive(db, session, now),
      ),
    )
    .returning({ id: users.id })
}
