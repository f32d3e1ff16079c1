import { afterChange, eventOf, insertEvent, logEvent } from '../audit/events.ts'
import type { Deps } from '../deps.ts'
import type { Client } from '../base/network.ts'
import { Refusal } from '../base/refusals.ts'
import { deleteSession } from '../access/session-store.ts'
import { type SessionClaims, verifyToken } from '../access/token.ts'

/**
 * Ends the session of a token. A token that is dead already needs no ending, and the stock client
 * forgets its token only when it hears of success, so no token is refused.
 */
export async function logout(
  deps: Pick<Deps, 'db' | 'keyRing' | 'now'>,
  token: string,
  client: Client,
): Promise<void> {
  const claims = token === '' ? undefined : await readToken(deps, token)
  if (claims === undefined) return
  const { userId, sessionId } = claims
  const event = eventOf({ userId, ...client }, 'session_ended', deps.now(), 'logout')
  const [ended] = await deps.db.batch([
    deleteSession(deps.db, userId, sessionId),
    insertEvent(deps.db, event, afterChange),
  ])
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
