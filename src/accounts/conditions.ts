import { type SQL, sql } from 'drizzle-orm'
import { users } from '../../schema/tables.ts'
import { literal } from '../database/literal.ts'
import { ADMIN, GUEST } from './roles.ts'

// Conditions on a row of `users`. Their values are part of the text, because SQLite compiles a
// statement again for each run when it compares a parameter with a column in the condition of a
// partial index: the parameter's value can decide whether the index serves.

export const isEnabled: SQL = sql`${users.disabled} = 0`
export const isDisabled: SQL = sql`${users.disabled} = 1`
export const isAdmin: SQL = sql`${users.role} = ${literal(ADMIN)}`
export const isNotGuest: SQL = sql`${users.role} <> ${literal(GUEST)}`
