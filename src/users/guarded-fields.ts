import { and, eq, or, type SQL } from 'drizzle-orm'
import { users } from '../../schema/tables.ts'
import type { Account } from '../accounts/accounts.ts'
import type { Authority } from '../database/statements.ts'

/**
 * The fields with which the thief of a session could keep an account (docs/interface.md, Fresh
 * sessions).
 */
interface GuardedFields {
  username?: string
  ssoId?: string
  role?: number
  /** PHC string. */
  passwordHash?: string
}

/** Holds for a row of `users` in which a change leaves the guarded fields alone, or is proven. */
export function isProvenChange(change: GuardedFields, isProven: Authority): SQL | undefined {
  const { username, ssoId, role, passwordHash } = change
  return and(
    passwordHash === undefined ? undefined : isProven,
    username === undefined ? undefined : or(eq(users.username, username), isProven),
    ssoId === undefined ? undefined : or(eq(users.ssoId, ssoId), isProven),
    role === undefined ? undefined : or(eq(users.role, role), isProven),
  )
}

/**
 * Tells whether a change needs a fresh session, for the reason of a refusal. `isProvenChange`
 * decides.
 */
export function needsFreshSession(
  before: Pick<Account, 'username' | 'ssoId' | 'role'>,
  change: Omit<GuardedFields, 'passwordHash'>,
): boolean {
  const { username = before.username, ssoId = before.ssoId, role = before.role } = change
  return username !== before.username || ssoId !== before.ssoId || role !== before.role
}
