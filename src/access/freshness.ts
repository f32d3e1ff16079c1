import { and, gt, type SQL, sql } from 'drizzle-orm'
import { sessions } from '../../schema/tables.ts'
import type { Deps } from '../deps.ts'

/** What it takes to know whether a session is fresh. */
export type FreshnessDeps = Pick<Deps, 'freshSeconds'>

/**
 * When the user of a session last showed a password or a code: at its sign-in, or in it. Null where
 * there is no session.
 */
export const provenAt = sql<number | null>`max(${sessions.createdAt}, ${sessions.confirmedAt})`

/**
 * Tells whether a session may do what a thief of its token could make permanent (docs/interface.md,
 * Fresh sessions).
 *
 * @param at What `provenAt` has read.
 * @param now The time of the statement that was guarded.
 */
export function isFreshAt(deps: FreshnessDeps, at: number | null, now: number): boolean {
  const seconds = deps.freshSeconds()
  return seconds === 0 || (at !== null && at > now - seconds * 1000)
}

/** As `isFreshAt`, as a condition on a row of `sessions`; with `when`, that too. */
export function whenFresh(deps: FreshnessDeps, now: number, when?: SQL): SQL | undefined {
  const seconds = deps.freshSeconds()
  return seconds === 0 ? when : and(gt(provenAt, now - seconds * 1000), when)
}
