import { and, type SQL } from 'drizzle-orm'
import { asAuthority, type Authority } from '../../core/database/statements.ts'
import type { Deps } from '../../core/deps.ts'
import { tooManyAttempts } from '../../core/throttle/gate.ts'
import {
  challengeUse,
  claimChallenge,
  isClaimed,
  selectUse,
} from '../../core/access/used-challenges.ts'
import { PasskeyError } from './reasons.ts'
import type { Ceremony } from './session-text.ts'
import type { CheckedAnswer } from './shown-passkey.ts'
import { isCurrent, markUsed } from './store.ts'

/**
 * Returns the statements that accept a right answer: they use its challenge up and record the use
 * of the passkey. Nothing is written when the challenge was used before, the passkey or its owner
 * has changed, or `when` does not hold.
 *
 * @param by Who may use the challenge up.
 * @param now Unix time, milliseconds.
 * @returns Parts of a batch, and the authority for what follows from the answer, after them.
 */
export async function answerAcceptance(
  deps: Pick<Deps, 'db' | 'randomBytes'>,
  by: Authority,
  ceremony: Ceremony,
  { credential, assertion }: CheckedAnswer,
  when: SQL | undefined,
  now: number,
) {
  const { db } = deps
  const use = await challengeUse(deps, ceremony)
  const accepted = asAuthority(isClaimed(db, use))
  const isFound = ceremony.userId === undefined
  const parts = {
    uses: selectUse(db, use),
    claimed: claimChallenge(db, by, use, and(isCurrent(db, credential, assertion, now), when)),
    used: markUsed(db, accepted, credential, assertion, isFound, now),
  }
  return { accepted, parts }
}

/**
 * Says why a right answer was not accepted.
 *
 * @param uses Earlier uses of the challenge.
 * @param blocks The blocks that the same batch read.
 * @throws {PasskeyError} `challenge used`, `changed`; {Refusal} `tooManyAttempts`.
 */
export function refuseUnaccepted(
  uses: readonly unknown[],
  blocks: { expiresAt: number }[],
  now: number,
): never {
  if (uses.length > 0) throw new PasskeyError('challenge used')
  if (blocks.length > 0) throw tooManyAttempts(blocks, now)
  throw new PasskeyError('changed')
}
