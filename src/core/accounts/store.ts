import { and, eq, exists, inArray, isNotNull, isNull, ne, or, type SQL, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/sqlite-core'
import { users } from '../../../schema/tables.ts'
import type { Database } from '../database/database.ts'
import type { UserId } from '../database/user-id.ts'
import { type Account, selectAccounts } from './accounts.ts'
import { isEnabled, isNotGuest } from './conditions.ts'
import { GUEST } from './roles.ts'
import { hasPasskey, mustUsePasskey, mustUseSecondFactor } from './second-factor.ts'
import { storedKeys, usernameKey } from './username.ts'

export async function findGuest(db: Database): Promise<Account | undefined> {
  const [guest] = await selectAccounts(db).where(eq(users.role, GUEST)).orderBy(users.id).limit(1)
  return guest
}

/** Selects a row while visitors who are not signed in may act as the guest. */
export function selectEnabledGuest(db: Database, now: number) {
  return db
    .select({ id: users.id })
    .from(users)
    .where(and(eq(users.role, GUEST), isEnabled(now)))
}

export function selectUser(db: Database, userId: UserId) {
  return selectAccounts(db).where(eq(users.id, userId))
}

/** Selects the user with exactly this name. */
export function selectUserNamed(db: Database, username: string) {
  return selectAccounts(db).where(isNamed(username))
}

/** The columns of a user that a sign-in needs. */
export const signInColumns = {
  id: users.id,
  role: users.role,
  disabled: users.disabled,
  waiting: users.waiting,
  endsAt: users.endsAt,
  permission: users.permission,
  passwordHash: users.passwordHash,
  passwordChangedAt: users.passwordChangedAt,
  totpSeed: users.totpSeed,
  mustUseSecondFactor: sql`(${mustUseSecondFactor})`.mapWith(Boolean).as('must_use'),
}

/** Selects a user for a sign-in. The name is compared exactly. */
export function selectForSignIn(db: Database, username: string) {
  return db.select(signInColumns).from(users).where(isNamed(username))
}

/**
 * Selects the permission of a user whose password was right, while a server may let the user in
 * with it: a hash takes time, and meanwhile the user can be disabled, get another name or password,
 * or have to use a second factor, which a server can't ask for.
 */
export function selectStillAllowed(
  db: Database,
  username: string,
  { id, passwordChangedAt }: { id: number; passwordChangedAt: number },
  now: number,
) {
  const isSame = and(
    eq(users.id, id),
    isNamed(username),
    eq(users.passwordChangedAt, passwordChangedAt),
  )
  const needsNoFactor = and(isNull(users.totpSeed), sql`not ${mustUseSecondFactor}`)
  return db
    .select({ permission: users.permission })
    .from(users)
    .where(and(isSame, isEnabled(now), isNotGuest, needsNoFactor))
}

/** Selects a user whose password alone proves too little (`mustUsePasskey`); otherwise no row. */
export function selectMustUsePasskey(db: Database, userId: number) {
  return db
    .select({ id: users.id })
    .from(users)
    .where(and(eq(users.id, userId), mustUsePasskey))
}

/** Selects a user who can prove on our pages who they are: with a password or a passkey. */
export function selectWithPasswordOrPasskey(db: Database, userId: number) {
  return db
    .select({ id: users.id })
    .from(users)
    .where(and(eq(users.id, userId), or(isNotNull(users.passwordHash), hasPasskey)))
}

/** Holds while there is a user for whose row all of these hold. */
export function existsUser(db: Database, ...conditions: (SQL | undefined)[]): SQL {
  return exists(
    db
      .select({ id: users.id })
      .from(users)
      .where(and(...conditions)),
  )
}

/** Selects other users with the same name key. */
export function selectSameName(db: Database, username: string, exceptId: number) {
  const others = alias(users, 'others')
  return db
    .select({ id: others.id })
    .from(others)
    .where(and(eq(others.usernameKey, usernameKey(username)), ne(others.id, exceptId)))
}

/** Holds for the user with exactly this name. The index is on the name key. */
export function isNamed(username: string) {
  return and(inArray(users.usernameKey, storedKeys(username)), eq(users.username, username))
}

/** Selects the e-mail address that the user has confirmed, if any. */
export function selectVerifiedAddress(db: Database, userId: UserId) {
  return db
    .select({ email: users.email })
    .from(users)
    .where(and(eq(users.id, sql`${userId}`), eq(users.emailVerified, true)))
}
