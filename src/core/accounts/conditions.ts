import { type Placeholder, type SQL, sql } from 'drizzle-orm'
import { users } from '../../../schema/tables.ts'
import { literal } from '../database/literal.ts'
import { ADMIN, GUEST } from './roles.ts'

/** Unix time, milliseconds; a placeholder in a prepared query. */
type Moment = number | Placeholder

// Conditions on a row of `users`. Their values are part of the text, because SQLite compiles a
// statement again for each run when it compares a parameter with a column in the condition of a
// partial index: the parameter's value can decide whether the index serves.

/**
 * Holds for an account that may be used: enabled, and before its end. Every door asks this.
 *
 * @param now Unix time, milliseconds.
 */
export function isEnabled(now: Moment): SQL {
  return sql`(${users.disabled} = 0 and (${users.endsAt} is null or ${users.endsAt} > ${now}))`
}

/** Holds for an account that an operator has disabled, or that waits for an approval. */
export const isDisabled: SQL = sql`${users.disabled} = 1`
export const isAdmin: SQL = sql`${users.role} = ${literal(ADMIN)}`
export const isNotGuest: SQL = sql`${users.role} <> ${literal(GUEST)}`
