import { and, eq, lt, sql } from 'drizzle-orm'
import { sessions, users } from '../../schema/tables.ts'
import type { Database } from '../deps.ts'
import type { Client } from '../network.ts'
import type { SessionClaims } from '../tokens/token.ts'

/** The part of a user's row that a sign-in relied on. */
interface CheckedUser {
  id: number
  passwordChangedAt: number
  totpSeed: string | null
}

/** The row is still the one that was checked: same password, same authenticator, not disabled. */
function isStill(user: CheckedUser) {
  return and(
    eq(users.id, user.id),
    eq(users.disabled, false),
    eq(users.passwordChangedAt, user.passwordChangedAt),
    sql`${users.totpSeed} is ${user.totpSeed}`,
  )
}

/** Uses up a time step: changes a row for the first who presents it, and none for anybody after. */
export function burnTimeStep(db: Database, user: CheckedUser, timeStep: number) {
  return db
    .update(users)
    .set({ totpStep: timeStep })
    .where(and(isStill(user), lt(users.totpStep, timeStep)))
}

/**
 * Writes the session, unless the user's row has changed since it was checked.
 *
 * @param burnsTimeStep The statement before in the same batch burns a time step; without that there
 *   is no session.
 */
export function insertSession(
  db: Database,
  {
    user,
    session,
    client,
    burnsTimeStep,
  }: {
    user: CheckedUser
    session: SessionClaims & { expiresAt: number }
    client: Client
    burnsTimeStep: boolean
  },
) {
  const row = db
    .select({
      id: sql`${session.sessionId}`.as('id'),
      userId: users.id,
      createdAt: sql`${session.issuedAt * 1000}`.as('created_at'),
      expiresAt: sql`${session.expiresAt * 1000}`.as('expires_at'),
      network: sql`${client.network}`.as('network'),
      userAgent: sql`${client.userAgent}`.as('user_agent'),
    })
    .from(users)
    .where(and(isStill(user), burnsTimeStep ? sql`changes() = 1` : undefined))
  return db.insert(sessions).select(row).returning({ id: sessions.id })
}
