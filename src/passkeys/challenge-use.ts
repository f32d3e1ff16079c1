import * as base64url from 'jose/base64url'
import type { Deps } from '../deps.ts'
import { type Ceremony, hashChallenge } from './session-text.ts'
import type { ChallengeUse } from './store.ts'

const NONCE_BYTES = 16

/**
 * Returns the mark that a challenge was used, and by this request. Nothing is stored: the mark uses
 * the challenge up when `claimChallenge` (store.ts) inserts it.
 */
export async function challengeUse(
  deps: Pick<Deps, 'randomBytes'>,
  { challenge, expiresAt }: Ceremony,
): Promise<ChallengeUse> {
  const usedBy = base64url.encode(deps.randomBytes(NONCE_BYTES))
  return { hash: await hashChallenge(challenge), usedBy, expiresAt }
}
