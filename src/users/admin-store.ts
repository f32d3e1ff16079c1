import { and, count, eq, ne, notExists, sql } from 'drizzle-orm'
import { users } from '../../schema/tables.ts'
import type { Database } from '../deps.ts'
import type { Window } from '../paging.ts'
import { isLiveAdmin, selectAccounts } from '../tokens/sessions.ts'
import type { SessionClaims } from '../tokens/token.ts'
import { ADMIN, GENERAL } from './roles.ts'
import { selectSameName } from './store.ts'
import { usernameKey } from './username.ts'

/** What an operator may set of a user; what is missing stays as it is. */
export interface UserChange {
  username?: string
  basePath?: string
  disabled?: boolean
  permission?: number
  ssoId?: string
  /** PHC string. */
  passwordHash?: string
}

export function selectUsers(db: Database, { limit, offset }: Window) {
  return selectAccounts(db).orderBy(users.id).limit(limit).offset(offset)
}

export function countUsers(db: Database) {
  return db.select({ total: count() }).from(users)
}

export function selectUser(db: Database, userId: number) {
  return selectAccounts(db).where(eq(users.id, userId))
}

/** Makes a general user; no row when the name is taken. */
export function insertUser(
  db: Database,
  admin: SessionClaims,
  user: Required<Omit<UserChange, 'passwordHash'>> & { passwordHash: string | null },
  now: number,
) {
  const values = sql.join(
    [
      sql`null`,
      sql`${user.username}`,
      sql`${usernameKey(user.username)}`,
      sql`${user.passwordHash}`,
      sql`0`,
      sql`${GENERAL}`,
      sql`${user.permission}`,
      sql`${user.basePath}`,
      sql`${Number(user.disabled)}`,
      sql`${user.ssoId}`,
      sql`null, 0, null, 0`,
      sql`${now}`,
    ],
    sql`, `,
  )
  // In the order of the table's columns, as Drizzle writes them.
  return db
    .insert(users)
    .select(sql`select ${values} where ${isLiveAdmin(db, admin, now)}`)
    .onConflictDoNothing()
    .returning({ id: users.id })
}

/** Changes a user; no row when the name is taken, the id unknown, or an admin would be disabled. */
export function updateUser(
  db: Database,
  admin: SessionClaims,
  userId: number,
  change: UserChange,
  now: number,
) {
  const isFree =
    change.username === undefined
      ? undefined
      : notExists(selectSameName(db, change.username, userId))
  return db
    .update(users)
    .set({
      // A statement must set something; the id stays what it is.
      id: sql`${users.id}`,
      ...change,
      ...(change.username !== undefined && { usernameKey: usernameKey(change.username) }),
      ...(change.passwordHash !== undefined && { passwordChangedAt: now }),
    })
    .where(
      and(
        eq(users.id, userId),
        isLiveAdmin(db, admin, now),
        isFree,
        change.disabled === true ? ne(users.role, ADMIN) : undefined,
      ),
    )
    .returning({ id: users.id })
}

/** Removes a general user, with all that is theirs. */
export function deleteUser(db: Database, admin: SessionClaims, userId: number, now: number) {
  return db
    .delete(users)
    .where(and(eq(users.id, userId), eq(users.role, GENERAL), isLiveAdmin(db, admin, now)))
    .returning({ id: users.id })
}

/** Switches the two-step verification of a user off; a user without it is changed as well. */
export function cancelTwoFactor(db: Database, admin: SessionClaims, userId: number, now: number) {
  return db
    .update(users)
    .set({ totpSeed: null, pendingTotpSeed: null, pendingTotpExpiresAt: 0 })
    .where(and(eq(users.id, userId), isLiveAdmin(db, admin, now)))
    .returning({ id: users.id })
}
