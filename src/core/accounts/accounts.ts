import { sql } from 'drizzle-orm'
import { users } from '../../../schema/tables.ts'
import type { Database } from '../database/database.ts'
import { hasPasskey } from './second-factor.ts'

/**
 * The columns of a user that may be shown. They contain neither the password hash nor the TOTP
 * seed.
 */
export type Account = Awaited<ReturnType<typeof selectAccounts>>[number]

export const accountColumns = {
  id: users.id,
  username: users.username,
  role: users.role,
  permission: users.permission,
  basePath: users.basePath,
  disabled: users.disabled,
  endsAt: users.endsAt,
  ssoId: users.ssoId,
  sub: users.sub,
  hasTwoFactor: sql`${users.totpSeed} is not null`.mapWith(Boolean).as('has_two_factor'),
  passwordChangedAt: users.passwordChangedAt,
  // Nested, because Drizzle takes the names of tables off the columns of the outer level.
  hasPasskey: sql`(${hasPasskey})`.mapWith(Boolean).as('has_passkey'),
}

/** Selects all users. Callers add a condition. */
export function selectAccounts(db: Database) {
  return db.select(accountColumns).from(users)
}
