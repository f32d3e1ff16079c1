import { and, eq, ne, not, or, type SQL, sql } from 'drizzle-orm'
import { passkeys, users } from '../../../schema/tables.ts'
import { Refusal } from '../base/refusals.ts'
import { asAuthority, type Authority } from '../database/statements.ts'
import type { UserId } from '../database/user-id.ts'
import type { Database } from '../deps.ts'
import { mustUseSecondFactor } from './second-factor.ts'
import { existsUser } from './store.ts'

/** The second factors that a change takes from a user. */
export interface TakenFactors {
  userId: number
  /** The user who takes them; null for the command line. */
  takenBy: UserId | null
  /** Whether the authenticator app is taken. */
  app?: boolean
  /** The condition on the rows of `passkeys` that are taken; without it, none is. */
  passkeys?: SQL | undefined
}

/**
 * Limits a change that takes second factors: a user of whom the site demands one replaces the last
 * one, and does not remove it, because the password alone would then set up another. An operator
 * takes those of other users, and the command line those of all. Every change that takes factors
 * asks this.
 *
 * @returns The authority that the statements of the change carry, and a statement for the same
 *   batch before them, for `refuseLastFactor`.
 */
export function takingFactors(db: Database, by: Authority, taken: TakenFactors) {
  const { userId } = taken
  const isAllowed = mayLose(taken)
  return {
    by: asAuthority(sql`(${by} and ${existsUser(db, and(eq(users.id, userId), isAllowed))})`),
    kept: db
      .select({ id: users.id })
      .from(users)
      .where(and(eq(users.id, userId), not(isAllowed))),
  }
}

/** @throws {Refusal} `lastFactor`, when the statement `kept` of `takingFactors` returned a row. */
export function refuseLastFactor({ kept = [] }: { kept?: readonly unknown[] | undefined }): void {
  if (kept.length > 0) throw new Refusal('lastFactor')
}

/** Selects the user if the site demands a second factor of this user, for pages. */
export function selectDemand(db: Database, userId: number) {
  return db
    .select({ id: users.id })
    .from(users)
    .where(and(eq(users.id, userId), mustUseSecondFactor))
}

/** Holds for the row of `users` whose factors are taken. */
function mayLose({ takenBy, app = false, passkeys: which }: TakenFactors): SQL {
  const isLeft = which === undefined ? undefined : not(which)
  const isOwner = eq(passkeys.userId, users.id)
  const hasOther = sql`exists (select 1 from ${passkeys} where ${and(isOwner, isLeft)})`
  const hasApp = app ? undefined : sql`${users.totpSeed} is not null`
  const isOther = takenBy === null ? sql`true` : ne(users.id, takenBy)
  // SQLite's `coalesce` makes unknown false: the owner of an app password may be gone.
  return sql`coalesce(${or(not(mustUseSecondFactor), hasOther, hasApp, isOther)}, false)`
}
