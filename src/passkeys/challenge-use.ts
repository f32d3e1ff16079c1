import * as base64url from 'jose/base64url'
import type { Deps } from '../deps.ts'
import { type Ceremony, hashChallenge } from './session-text.ts'
import type { ChallengeUse } from './store.ts'

const NONCE_BYTES = 16

/** Names the use of a challenge by this request. */
export async function challengeUse(
  deps: Pick<Deps, 'randomBytes'>,
  { challenge, expiresAt }: Ceremony,
): Promise<ChallengeUse> {
  const usedBy = base64url.encode(deps.randomBytes(NONCE_BYTES))
  return { hash: await hashChallenge(challenge), usedBy, expiresAt }
}
