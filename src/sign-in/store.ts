import { and, eq, exists } from 'drizzle-orm'
import { sessions, users } from '../../schema/tables.ts'
import { asAuthority, type Authority, writing } from '../database/statements.ts'
import type { Database } from '../deps.ts'
import type { Client } from '../base/network.ts'
import { type Method, sessionMethodText } from '../access/methods.ts'
import type { NewSession } from '../access/token.ts'
import type { WithSecondFactor } from '../two-factor/second-factor.ts'
import { hasSameFactor } from '../two-factor/store.ts'
import { isEnabled } from '../accounts/conditions.ts'

/** The part of a user's row that a sign-in checks. */
export interface CheckedUser extends WithSecondFactor {
  passwordChangedAt: number
}

/** Holds while the user is enabled and has the checked password and second factor. */
export function isUnchanged(db: Database, user: CheckedUser): Authority {
  const checked = db
    .select({ id: users.id })
    .from(users)
    .where(
      and(
        eq(users.id, user.id),
        isEnabled,
        eq(users.passwordChangedAt, user.passwordChangedAt),
        hasSameFactor(user),
      ),
    )
  return asAuthority(exists(checked))
}

export function insertSession(
  db: Database,
  by: Authority,
  { sessionId, userId, issuedAtSeconds, expiresAtSeconds }: NewSession,
  { network, userAgent }: Client,
  methods: readonly Method[],
  authTimeSeconds?: number,
) {
  const amr = sessionMethodText(methods, authTimeSeconds)
  const createdAt = issuedAtSeconds * 1000
  const times = { createdAt, expiresAt: expiresAtSeconds * 1000, lastActiveAt: createdAt }
  return writing(db, by)
    .insert(sessions, { id: sessionId, userId, ...times, network, userAgent, amr })
    .returning({ id: sessions.id })
}

/** Replaces the checked hash with a better hash of the same password. */
export function replacePasswordHash(
  db: Database,
  by: Authority,
  userId: number,
  rehash: { stored: string; replacement: string },
) {
  const isStored = and(eq(users.id, userId), eq(users.passwordHash, rehash.stored))
  return writing(db, by).update(users, { passwordHash: rehash.replacement }, isStored)
}
