import type { Deps } from '../deps.ts'
import { Refusal } from '../refusals.ts'
import { deleteSession } from '../tokens/sessions.ts'
import { verifyToken } from '../tokens/token.ts'

/**
 * Ends the session of a token. A token that is dead already needs no ending, and the stock client
 * forgets its token only when it hears of success, so no token is refused.
 */
export async function logout(
  deps: Pick<Deps, 'db' | 'keyRing' | 'now'>,
  token: string,
): Promise<void> {
  if (token === '') return
  const ring = await deps.keyRing()
  try {
    await deleteSession(deps.db, await verifyToken(ring, token, deps.now()))
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
  }
}
