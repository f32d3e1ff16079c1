import { and, eq } from 'drizzle-orm'
import { sessions, users } from '../../../schema/tables.ts'
import { asAuthority, type Authority, writing } from '../../core/database/statements.ts'
import type { Database } from '../../core/deps.ts'
import type { Client } from '../../core/base/network.ts'
import { type Method, methodText } from '../../core/access/sign-in-methods.ts'
import type { NewSession } from '../../core/access/token.ts'
import type { WithSecondFactor } from '../two-factor/second-factor.ts'
import { hasSameFactor } from '../two-factor/store.ts'
import { isEnabled } from '../../core/accounts/conditions.ts'
import { existsUser } from '../../core/accounts/store.ts'

/** The part of a user's row that a sign-in checks. */
export interface CheckedUser extends WithSecondFactor {
  passwordChangedAt: number
}

/** Holds while the user is enabled and has the checked password and second factor. */
export function isUnchanged(db: Database, user: CheckedUser, now: number): Authority {
  const isSame = eq(users.passwordChangedAt, user.passwordChangedAt)
  return asAuthority(
    existsUser(db, eq(users.id, user.id), isEnabled(now), isSame, hasSameFactor(user)),
  )
}

/**
 * @param begunWith The credential (`access/begun-with.ts`).
 * @param authTimeSeconds When the identity provider asked its user to sign in, if it tells. The
 *   session then counts as begun at that time, because a provider with a live session asks
 *   nothing.
 */
export function insertSession(
  db: Database,
  by: Authority,
  { sessionId, userId, issuedAtSeconds, expiresAtSeconds }: NewSession,
  { network, userAgent }: Client,
  methods: readonly Method[],
  begunWith: string,
  authTimeSeconds?: number,
) {
  const createdAt = issuedAtSeconds * 1000
  const isOfProvider = methods.includes('sso')
  const ofProvider = authTimeSeconds === undefined ? null : authTimeSeconds * 1000
  const hasCode = methods.includes('otp') || methods.includes('recovery')
  const row = {
    id: sessionId,
    userId,
    createdAt,
    signedInAt: isOfProvider ? ofProvider : createdAt,
    // A code confirms a session, so it confirms one that begins with it.
    confirmedAt: isOfProvider && hasCode ? createdAt : 0,
    expiresAt: expiresAtSeconds * 1000,
    lastActiveAt: createdAt,
    network,
    userAgent,
    amr: methodText(methods),
    begunWith,
  }
  return writing(db, by).insert(sessions, row).returning({ id: sessions.id })
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
