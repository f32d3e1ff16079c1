import { and, eq, exists, gt, lte, sql } from 'drizzle-orm'
import type { BatchItem, BatchResponse } from 'drizzle-orm/batch'
import { sessions, users } from '../../schema/tables.ts'
import type { Database, Deps } from '../deps.ts'
import { Refusal } from '../refusals.ts'
import type { SessionClaims } from './token.ts'

/** Who asks: what routes may know of a user. */
export type Account = Awaited<ReturnType<typeof selectAccounts>>[number]

/** Add a `where` that finds one. */
export function selectAccounts(db: Database) {
  return db
    .select({
      id: users.id,
      username: users.username,
      role: users.role,
      permission: users.permission,
      basePath: users.basePath,
      disabled: users.disabled,
      ssoId: users.ssoId,
      hasTwoFactor: sql`${users.totpSeed} is not null`.mapWith(Boolean).as('has_two_factor'),
      passwordChangedAt: users.passwordChangedAt,
    })
    .from(users)
}

/**
 * Acts for the user of a session in one round trip: the session is checked and `statements` run in
 * the same D1 transaction. A statement that writes carries `isLive` in its condition, so that it
 * changes nothing for a session that has ended; one that reads has read in vain.
 *
 * @returns The account, then what the statements returned.
 * @throws {Refusal} 401: account gone or disabled, session ended.
 */
export async function actAs<Statements extends BatchItem<'sqlite'>[]>(
  deps: Pick<Deps, 'db' | 'now'>,
  session: SessionClaims,
  ...statements: Statements
): Promise<[Account, ...BatchResponse<Statements>]> {
  const [accounts, live, ...results] = await deps.db.batch([
    selectAccounts(deps.db).where(eq(users.id, session.userId)),
    selectLive(deps.db, session, deps.now()),
    ...statements,
  ])
  // Drizzle types a batch as a tuple, and forgets it when the tuple is spread.
  return [admit(session, accounts[0], live.length > 0), ...(results as BatchResponse<Statements>)]
}

/**
 * A condition for statements that write: the session exists, has time left, and its user is
 * enabled.
 */
export function isLive(db: Database, session: SessionClaims, now: number) {
  return exists(selectLive(db, session, now))
}

function selectLive(db: Database, session: SessionClaims, now: number) {
  return db
    .select({ id: sessions.id })
    .from(sessions)
    .innerJoin(users, eq(users.id, sessions.userId))
    .where(
      and(
        eq(sessions.id, session.sessionId),
        eq(sessions.userId, session.userId),
        gt(sessions.expiresAt, now),
        eq(users.disabled, false),
      ),
    )
}

function admit(session: SessionClaims, account: Account | undefined, live: boolean): Account {
  if (account === undefined) throw new Refusal('tokenInvalidated')
  if (account.disabled) throw new Refusal('accountDisabled')
  if (live) return account
  // `iat` counts whole seconds: a token from the second of the change is an old one as well.
  const isOlderThanPassword = session.issuedAt * 1000 <= account.passwordChangedAt
  throw new Refusal(isOlderThanPassword ? 'passwordChanged' : 'tokenInvalidated')
}

/** Ends one session of a user. */
export function deleteSession(db: Database, session: SessionClaims) {
  return db
    .delete(sessions)
    .where(and(eq(sessions.id, session.sessionId), eq(sessions.userId, session.userId)))
}

export function pruneSessions(db: Database, now: number) {
  return db.delete(sessions).where(lte(sessions.expiresAt, now))
}
