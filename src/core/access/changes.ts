import { and, is, type SQL, sql } from 'drizzle-orm'
import { SQLiteSelectBase } from 'drizzle-orm/sqlite-core'
import { throttleCounters, users } from '../../../schema/tables.ts'
import { isAdmin } from '../accounts/conditions.ts'
import { Refusal } from '../base/refusals.ts'
import { literal } from '../database/literal.ts'
import { type Authority, type Parts, writing } from '../database/statements.ts'
import type { Database } from '../deps.ts'
import { HOUR_MILLISECONDS } from '../base/time.ts'
import { pathOf } from '../database/json-path.ts'
import { type Actor, isSessionActor } from './actor.ts'

/**
 * Requests of one user that change something, in an hour. Nobody clicks so often. A day of them
 * writes less than half of the rows that D1's free plan has. What takes access away is not counted
 * (`ActionKind`): it ends when there is nothing left to take.
 */
export const MAX_CHANGES = 200

/** The share of one session or app password, so that a stolen one can't use up the whole. */
export const MAX_CHANGES_OF_ONE = 100

/** The changes that a session has, whatever others have used up. */
export const SURE_CHANGES = 20

/**
 * Requests with which one session confirms itself, right or wrong. They count for it alone. The
 * limits on wrong ones end first, so that no thief of its token can use them up.
 */
export const MAX_CONFIRMATIONS = 200

export type CountedAs = 'change' | 'confirmation'

/** The key of the counter, in a statement that has the row of the user. */
const keyOfUser = sql`'change/' || ${users.id}`

const APP_PASSWORD_DIGITS = 16

/** Returns the name of an actor's share in the parts of the counter. */
function shareOf(actor: Actor, as: CountedAs): string {
  const id = isSessionActor(actor) ? actor.sessionId : actor.tokenHash.slice(0, APP_PASSWORD_DIGITS)
  return `${as} ${id}`
}

/**
 * Holds for a row of the counter that refuses the actor.
 *
 * @param more 1 for a count that includes the present request.
 */
function isSpent(actor: Actor, as: CountedAs, now: number, more: 0 | 1): SQL {
  const { failures, expiresAt } = throttleCounters
  const own = sql`coalesce(${throttleCounters.parts} ->> ${pathOf(shareOf(actor, as))}, 0)`
  const sure = isSessionActor(actor) ? SURE_CHANGES : 0
  const isUsedUp =
    as === 'confirmation'
      ? sql`${own} >= ${literal(MAX_CONFIRMATIONS + more)}`
      : sql`(${own} >= ${literal(MAX_CHANGES_OF_ONE + more)} or (${failures} >= ${literal(MAX_CHANGES + more)} and ${own} >= ${literal(sure + more)}))`
  return sql`(${isUsedUp} and ${expiresAt} > ${now})`
}

/** Holds for the row of a user, of whom the actor may make one more change. Admins always may. */
export function hasChangesLeft(actor: Actor, as: CountedAs, now: number): SQL {
  return sql`(${isAdmin} or not exists (
    select 1 from ${throttleCounters}
    where ${throttleCounters.key} = ${keyOfUser} and ${isSpent(actor, as, now, 1)}
  ))`
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
export function changeParts(db: Database, by: Authority, actor: Actor, as: CountedAs, now: number) {
  const { key, failures, expiresAt, parts } = throttleCounters
  const isCounted = and(sql`${users.id} = ${actor.userId}`, sql`not ${isAdmin}`)
  const share = shareOf(actor, as)
  const row = {
    key: keyOfUser,
    failures: as === 'change' ? 1 : 0,
    expiresAt: now + HOUR_MILLISECONDS,
    chargedAt: now,
    parts: JSON.stringify({ [share]: 1 }),
  }
  const isOver = sql`${expiresAt} <= ${now}`
  const path = pathOf(share)
  return {
    spent: db
      .select({ expiresAt })
      .from(users)
      .innerJoin(throttleCounters, sql`${key} = ${keyOfUser}`)
      .where(and(isCounted, isSpent(actor, as, now, 0))),
    counted: writing(db, by)
      .insert(throttleCounters, row, { from: users, where: isCounted })
      .onConflictDoUpdate({
        target: key,
        set: {
          failures: sql`iif(${isOver}, excluded.failures, ${failures} + excluded.failures)`,
          expiresAt: sql`iif(${isOver}, excluded.expires_at, ${expiresAt})`,
          chargedAt: sql`excluded.charged_at`,
          parts: sql`iif(${isOver}, excluded.parts, json_set(${parts}, ${path}, coalesce(${parts} ->> ${path}, 0) + 1))`,
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
