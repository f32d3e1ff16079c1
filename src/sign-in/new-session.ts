import * as base64url from 'jose/base64url'
import type { NewSession } from '../access/token.ts'
import type { Deps } from '../deps.ts'

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
