import { and, asc, count, eq, isNull, lt, notExists, or, type SQL, sql } from 'drizzle-orm'
import { appPasswords, users } from '../../../schema/tables.ts'
import type { Database } from '../../core/database/database.ts'
import { type Authority, writing } from '../../core/database/statements.ts'
import { parseScopes } from '../../core/access/scopes.ts'
import { isMadeWithEnough } from '../../core/access/sign-in-methods.ts'
import { isAdmin, isEnabled, isNotGuest } from '../../core/accounts/conditions.ts'
import { existsUser } from '../../core/accounts/store.ts'

/** The columns that lists show: not the hash. */
const listed = {
  id: appPasswords.id,
  name: appPasswords.name,
  scopes: sql`${appPasswords.scopes}`.mapWith(parseScopes).as('scopes'),
  createdAt: appPasswords.createdAt,
  expiresAt: appPasswords.expiresAt,
  lastUsedAt: appPasswords.lastUsedAt,
  lastNetwork: appPasswords.lastNetwork,
  /** It opens nothing now, because the site demands a second factor and it was made without one. */
  isClosed: sql`not ${isMadeWithEnough(appPasswords.amr)}`.mapWith(Boolean).as('is_closed'),
}

/** Selects the app passwords of a user, by id. */
export function selectAppPasswords(db: Database, userId: number) {
  return db
    .select(listed)
    .from(appPasswords)
    .innerJoin(users, eq(users.id, appPasswords.userId))
    .where(eq(appPasswords.userId, userId))
    .orderBy(asc(appPasswords.id))
}

/** The columns of an app password that lists show. */
export type StoredAppPassword = ReturnType<typeof selectAppPasswords>['_']['result'][number]

/** The row of a new app password. */
interface NewAppPassword {
  userId: number
  name: string
  /** SHA-256, hexadecimal. */
  tokenHash: string
  /** As `scopesText` returns them. */
  scopes: string
  createdAt: number
  /** Null for never. */
  expiresAt: number | null
  /** The methods that it is made with. */
  amr: SQL
}

/** Selects the app password of a user that has this name. */
export function selectNamed(db: Database, { userId, name }: { userId: number; name: string }) {
  const isNamed = and(eq(appPasswords.userId, userId), eq(appPasswords.name, name))
  return db.select({ id: appPasswords.id }).from(appPasswords).where(isNamed)
}

/**
 * Holds when the name is new for this user, the user has fewer app passwords than the limit and may
 * have one of these scopes.
 */
export function hasPlace(db: Database, row: NewAppPassword, limit: number): SQL | undefined {
  const { userId } = row
  const counted = db
    .select({ total: count() })
    .from(appPasswords)
    .where(eq(appPasswords.userId, userId))
  const needsAdmin = parseScopes(row.scopes).includes('admin')
  const mayHave = needsAdmin ? isAdmin : isNotGuest
  const isOwner = existsUser(db, eq(users.id, userId), isEnabled(row.createdAt), mayHave)
  return and(notExists(selectNamed(db, row)), lt(sql`(${counted})`, limit), isOwner)
}

export function insertAppPassword(
  db: Database,
  by: Authority,
  row: NewAppPassword,
  where: SQL | undefined,
) {
  return writing(db, by).insert(appPasswords, row, { where }).returning({ id: appPasswords.id })
}

/** Holds for one app password of a user. */
export function isAppPasswordWithId(userId: number, id: number): SQL | undefined {
  return and(eq(appPasswords.userId, userId), eq(appPasswords.id, id))
}

/**
 * Selects the app passwords of all users that never expire, or that nobody has used since a time.
 *
 * @param unusedSince Unix time, milliseconds.
 */
export function selectStale(db: Database, unusedSince: number) {
  const { createdAt, expiresAt, lastUsedAt } = appPasswords
  return db
    .select({ ...listed, username: users.username })
    .from(appPasswords)
    .innerJoin(users, eq(users.id, appPasswords.userId))
    .where(or(isNull(expiresAt), lt(sql`coalesce(${lastUsedAt}, ${createdAt})`, unusedSince)))
    .orderBy(asc(appPasswords.id))
}
