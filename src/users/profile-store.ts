import { and, eq, notExists, or, type SQL, sql } from 'drizzle-orm'
import { users } from '../../schema/tables.ts'
import type { Database } from '../deps.ts'
import { isLive } from '../access/session-store.ts'
import type { SessionClaims } from '../access/token.ts'
import { ADMIN, NAMES_FILES } from '../accounts/roles.ts'
import { selectSameName } from '../accounts/store.ts'
import { usernameKey } from '../accounts/username.ts'

/** What a user may change of their own record. */
export interface ProfileChange {
  username?: string
  ssoId?: string
  /** PHC string. */
  passwordHash?: string
}

/**
 * Changes the record of the session's own user; returns no row when somebody else has the name, or
 * when the name of a general user is that of files elsewhere and would change.
 *
 * @param isProven What a new name or a new password asks of the session beyond being live.
 */
export function updateProfile(
  db: Database,
  session: SessionClaims,
  change: ProfileChange,
  now: number,
  isProven: SQL,
) {
  const { username, passwordHash } = change
  return db
    .update(users)
    .set({
      // A statement must set something; the id stays what it is.
      id: sql`${users.id}`,
      ...(username !== undefined && { username, usernameKey: usernameKey(username) }),
      ...(change.ssoId !== undefined && { ssoId: change.ssoId }),
      ...(passwordHash !== undefined && { passwordHash, passwordChangedAt: now }),
    })
    .where(
      and(
        eq(users.id, session.userId),
        isLive(db, session, now),
        passwordHash === undefined ? undefined : isProven,
        username === undefined ? undefined : or(eq(users.username, username), isProven),
        username === undefined ? undefined : mayBeNamed(db, username, session.userId),
      ),
    )
    .returning({ id: users.id })
}

/** Nobody else has the name, and the user's files elsewhere are not under another. */
function mayBeNamed(db: Database, username: string, userId: number) {
  return and(
    notExists(selectSameName(db, username, userId)),
    or(
      eq(users.username, username),
      eq(users.role, ADMIN),
      sql`(${users.permission} & ${NAMES_FILES}) = 0`,
    ),
  )
}

export function selectPasswordHash(db: Database, userId: number) {
  return db.select({ passwordHash: users.passwordHash }).from(users).where(eq(users.id, userId))
}
