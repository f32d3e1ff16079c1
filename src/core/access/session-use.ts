import { HOUR_MILLISECONDS } from '../base/time.ts'
import type { SessionActor } from './actor.ts'

/** A session writes at most one row in this time for its use, unless its network changes. */
export const NOTED_MILLISECONDS = HOUR_MILLISECONDS

/**
 * Tells whether the present use of a session need not be recorded: it was used from the same
 * network less than an hour ago.
 */
export function isSessionUseNoted(
  noted: { network: string | null; lastActiveAt: number | null },
  actor: SessionActor,
  now: number,
): boolean {
  return noted.network === actor.network && (noted.lastActiveAt ?? 0) > now - NOTED_MILLISECONDS
}
