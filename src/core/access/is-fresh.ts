import type { Deps } from '../deps.ts'

export type FreshnessDeps = Pick<Deps, 'freshSeconds'>

/**
 * Tells whether a session may make changes that a thief of its token could make permanent
 * (docs/interface.md, Fresh sessions).
 *
 * @param at The value of `provenAt` (freshness.ts).
 * @param now The time of the guarded statement.
 */
export function isFreshAt(deps: FreshnessDeps, at: number | null, now: number): boolean {
  const seconds = deps.freshSeconds()
  return seconds === 'always' || (at !== null && at > now - seconds * 1000)
}
