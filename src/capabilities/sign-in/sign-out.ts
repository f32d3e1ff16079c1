import { eventOf, insertEvent } from '../../core/audit/events.ts'
import { logEvent } from '../../core/audit/audit-event.ts'
import { asAuthority, runBatch } from '../../core/database/statements.ts'
import type { Deps } from '../../core/deps.ts'
import type { Client } from '../../core/base/network.ts'
import { Refusal } from '../../core/base/refusals.ts'
import { deleteSessions } from '../../core/access/endings.ts'
import { hasSession, isSession } from '../../core/access/session-store.ts'
import { type SessionClaims, verifyToken } from '../../core/access/token.ts'

/**
 * Ends the session of a token. It accepts every token, because the stock client deletes its token
 * only after a success.
 *
 * @param userId Who signs out, where the token need not be theirs. The session of another user
 *   stays.
 * @returns Whether the token is of another user.
 */
export async function logout(
  deps: Pick<Deps, 'db' | 'keyRing' | 'now'>,
  token: string,
  client: Client,
  userId?: number,
): Promise<boolean> {
  const claims = token === '' ? undefined : await readToken(deps, token)
  if (claims === undefined) return false
  if (userId !== undefined && claims.userId !== userId) return true
  await endSessionBy(deps, claims, client)
  return false
}

/**
 * Signs a session out at the wish of its user, which a signature of this site proves. Refresh
 * tokens of programs outlive a sign-out.
 */
export async function endSessionBy(
  deps: Pick<Deps, 'db' | 'now'>,
  { userId, sessionId }: Pick<SessionClaims, 'userId' | 'sessionId'>,
  client: Client,
): Promise<void> {
  const { db } = deps
  const event = eventOf({ userId, ...client }, 'session_ended', deps.now(), 'logout')
  const which = isSession(userId, sessionId)
  // The signature was verified. A session may end itself, even when its user is disabled.
  const by = asAuthority(hasSession(db, which))
  const { ended } = await runBatch(db, {
    event: insertEvent(db, by, event),
    ended: deleteSessions(db, by, which),
  })
  if (ended.length > 0) logEvent(event)
}

async function readToken(
  deps: Pick<Deps, 'keyRing' | 'now'>,
  token: string,
): Promise<SessionClaims | undefined> {
  const ring = await deps.keyRing()
  try {
    return await verifyToken(ring, token, deps.now())
  } catch (error) {
    if (error instanceof Refusal) return undefined
    throw error
  }
}
