import { and, eq, exists, type SQL, sql } from 'drizzle-orm'
import { sessions, users } from '../../schema/tables.ts'
import type { Database } from '../deps.ts'
import type { Client } from '../base/network.ts'
import type { NewSession, SessionClaims } from '../access/token.ts'

/** The part of a user's row that a sign-in relied on. */
export interface CheckedUser {
  id: number
  passwordChangedAt: number
  /** Sealed; null while two-step verification is off. */
  totpSeed: string | null
}

/** Writes the session, if the user's row is still the one that was checked, and if `when` holds. */
export function insertSession(
  db: Database,
  user: CheckedUser,
  session: NewSession,
  client: Client,
  when?: SQL,
) {
  const row = db
    .select({
      id: sql`${session.sessionId}`.as('id'),
      userId: users.id,
      createdAt: sql`${session.issuedAtSeconds * 1000}`.as('created_at'),
      expiresAt: sql`${session.expiresAtSeconds * 1000}`.as('expires_at'),
      network: sql`${client.network}`.as('network'),
      userAgent: sql`${client.userAgent}`.as('user_agent'),
      confirmedAt: sql`0`.as('confirmed_at'),
    })
    .from(users)
    .where(
      and(
        eq(users.id, user.id),
        eq(users.disabled, false),
        eq(users.passwordChangedAt, user.passwordChangedAt),
        sql`${users.totpSeed} is ${user.totpSeed}`,
        when,
      ),
    )
  return db.insert(sessions).select(row).returning({ id: sessions.id })
}

/** Holds when that session was written. */
export function hasBegun(db: Database, { sessionId, userId }: SessionClaims): SQL {
  const isThis = and(eq(sessions.id, sessionId), eq(sessions.userId, userId))
  return exists(db.select({ id: sessions.id }).from(sessions).where(isThis))
}

/** Puts a better hash of the same password in the place of the one that was checked. */
export function replacePasswordHash(
  db: Database,
  userId: number,
  rehash: { stored: string; replacement: string },
) {
  return db
    .update(users)
    .set({ passwordHash: rehash.replacement })
    .where(and(eq(users.id, userId), eq(users.passwordHash, rehash.stored)))
}
