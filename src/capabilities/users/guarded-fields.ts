import { and, eq, or, type SQL, sql } from 'drizzle-orm'
import { users } from '../../../schema/tables.ts'
import { givesAccess, USER_FIELDS } from '../../core/access/field-guards.ts'
import { literal } from '../../core/database/literal.ts'
import type { Authority } from '../../core/database/statements.ts'
import type { Database } from '../../core/deps.ts'

/** Fields of a user that a change sets, by the names of the columns. A missing field stays. */
export interface ChangedFields {
  username?: string
  role?: number
  basePath?: string
  disabled?: boolean
  permission?: number | PermissionChange
  ssoId?: string
  /** PHC string. */
  passwordHash?: string
}

/** Bits to set and bits to clear. The other bits stay unchanged. */
export interface PermissionChange {
  set: number
  clear: number
}

/**
 * Holds for a row of `users` in which a change gives access: it needs a fresh session
 * (`USER_FIELDS`). `undefined` for a change that can give none.
 */
function isGuarded(change: ChangedFields): SQL | undefined {
  const { username, role, basePath, disabled, permission, ssoId, passwordHash } = change
  const fields = USER_FIELDS
  return or(
    username === undefined
      ? undefined
      : givesAccess(fields.username, users.username, sql`${username}`),
    role === undefined ? undefined : givesAccess(fields.role, users.role, literal(role)),
    basePath === undefined
      ? undefined
      : givesAccess(fields.base_path, users.basePath, sql`${basePath}`),
    disabled === undefined
      ? undefined
      : givesAccess(fields.disabled, users.disabled, literal(Number(disabled))),
    permission === undefined
      ? undefined
      : givesAccess(fields.permission, users.permission, permissionAfter(permission)),
    ssoId === undefined ? undefined : givesAccess(fields.sso_id, users.ssoId, sql`${ssoId}`),
    // A hash has a random salt: every new password differs.
    passwordHash === undefined
      ? undefined
      : givesAccess(fields.password, users.passwordHash, sql`${passwordHash}`),
  )
}

/** Holds for a row of `users` in which a change gives no access, or is proven. */
export function isProvenChange(change: ChangedFields, isProven: Authority): SQL | undefined {
  const guarded = isGuarded(change)
  return guarded && sql`(not ${guarded} or ${isProven})`
}

/**
 * Selects the user when a change needs a fresh session, for the reason of a refusal. It stands
 * before the change.
 */
export function selectGuarded(db: Database, userId: number, change: ChangedFields) {
  const isOf = and(eq(users.id, userId), isGuarded(change) ?? sql`false`)
  return db.select({ id: users.id }).from(users).where(isOf)
}

/** Returns the permission of a row of `users` after a change. */
export function permissionAfter(change: number | PermissionChange): SQL {
  if (typeof change === 'number') return sql`${change}`
  return sql`((${users.permission} | ${change.set}) & ~${change.clear})`
}
