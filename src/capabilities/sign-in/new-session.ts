import * as base64url from 'jose/base64url'
import { type NewSession, signToken } from '../../core/access/token.ts'
import type { KeyRing } from '../../core/crypto/key-ring.ts'
import { sealBookmark } from '../../core/crypto/sealed-bookmark.ts'
import type { Deps } from '../../core/deps.ts'

const SESSION_ID_BYTES = 16

/** Makes a session. It begins when `insertSession` stores it. */
export function newSession(
  deps: Pick<Deps, 'randomBytes'>,
  userId: number,
  now: number,
  tokenSeconds: number,
): NewSession {
  const issuedAtSeconds = Math.floor(now / 1000)
  const sessionId = base64url.encode(deps.randomBytes(SESSION_ID_BYTES))
  const expiresAtSeconds = issuedAtSeconds + tokenSeconds
  return { sessionId, userId, issuedAtSeconds, expiresAtSeconds }
}

/** Signs the token of a session that has begun. It names a state of the database that has it. */
export async function signSession(
  deps: Pick<Deps, 'randomBytes' | 'meter'>,
  ring: KeyRing,
  session: NewSession,
): Promise<string> {
  const { bookmark } = deps.meter
  return signToken(ring, session, bookmark && (await sealBookmark(deps, ring, bookmark)))
}
