import { and, eq, is, type SQL, sql } from 'drizzle-orm'
import { SQLiteSelectBase } from 'drizzle-orm/sqlite-core'
import { throttleCounters, users } from '../../schema/tables.ts'
import { isAdmin } from '../accounts/conditions.ts'
import { Refusal } from '../base/refusals.ts'
import { literal } from '../database/literal.ts'
import { type Authority, type Parts, writing } from '../database/statements.ts'
import type { UserId } from '../database/user-id.ts'
import type { Database } from '../deps.ts'
import { HOUR_MILLISECONDS } from '../base/time.ts'

/**
 * Requests of one user that change something, in an hour. Nobody clicks so often. A day of them
 * writes less than half of the rows that D1's free plan has.
 */
export const MAX_CHANGES = 200

/** The key of the counter, in a statement that has the row of the user. */
const keyOfUser = sql`'change/' || ${users.id}`

/** Holds for the row of a user who has not made too many changes. */
export function hasChangesLeft(now: number): SQL {
  const { key, failures, expiresAt } = throttleCounters
  return sql`not exists (
    select 1 from ${throttleCounters}
    where ${key} = ${keyOfUser} and ${failures} > ${literal(MAX_CHANGES)} and ${expiresAt} > ${now}
  )`
}

/** Tells whether a batch writes: everything does that is not certain to read. */
export function hasWrites(parts: Parts): boolean {
  return Object.values(parts).some((part) => part !== undefined && !is(part, SQLiteSelectBase))
}

/**
 * Returns the statements that count a change before it is made. Changes of admins are not counted:
 * an admin can do worse, and may have many users to change.
 *
 * @param by Includes `hasChangesLeft`, so the count ends one over the limit.
 */
export function changeParts(db: Database, by: Authority, userId: UserId, now: number) {
  const { key, failures, expiresAt } = throttleCounters
  const isUser = sql`${users.id} = ${userId}`
  const row = {
    key: keyOfUser,
    failures: 1,
    expiresAt: now + HOUR_MILLISECONDS,
    chargedAt: now,
  }
  const isOver = sql`${expiresAt} <= ${now}`
  return {
    spent: db
      .select({ expiresAt })
      .from(users)
      .innerJoin(throttleCounters, eq(key, keyOfUser))
      .where(and(isUser, sql`${failures} >= ${literal(MAX_CHANGES)} and ${expiresAt} > ${now}`)),
    counted: writing(db, by)
      .insert(throttleCounters, row, { from: users, where: and(isUser, sql`not ${isAdmin}`) })
      .onConflictDoUpdate({
        target: key,
        set: {
          failures: sql`iif(${isOver}, 1, ${failures} + 1)`,
          expiresAt: sql`iif(${isOver}, excluded.expires_at, ${expiresAt})`,
          chargedAt: sql`excluded.charged_at`,
        },
      }),
  }
}

/** @throws {Refusal} `tooManyChanges` when the changes of the user are used up. */
export function refuseTooManyChanges([spent]: readonly { expiresAt: number }[], now: number): void {
  if (spent === undefined) return
  const retryAfterSeconds = Math.max(1, Math.ceil((spent.expiresAt - now) / 1000))
  throw new Refusal('tooManyChanges', { values: { seconds: retryAfterSeconds }, retryAfterSeconds })
}
