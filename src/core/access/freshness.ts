import { and, gt, type SQL, sql } from 'drizzle-orm'
import { sessions } from '../../../schema/tables.ts'
import type { FreshnessDeps } from './is-fresh.ts'

/**
 * The time at which the user of a session last proved who they are, at sign-in or later (Unix time,
 * milliseconds): 0 after a sign-in with an identity provider that does not tell when it asked its
 * user, null when there is no session.
 */
export const provenAt = sql<
  number | null
>`max(coalesce(${sessions.signedInAt}, 0), ${sessions.confirmedAt})`

/** Returns the condition of `isFreshAt` for a row of `sessions`, combined with `when`. */
export function whenFresh(deps: FreshnessDeps, now: number, when?: SQL): SQL | undefined {
  const seconds = deps.freshSeconds()
  return seconds === 'always' ? when : and(gt(provenAt, now - seconds * 1000), when)
}
