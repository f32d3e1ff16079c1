import { loadAll } from '../../../web/kit/capability.ts'
import { createMiddleware } from 'hono/factory'
import { clientOf } from '../../../web/http/client.ts'
import { answerAdmitted } from '../../../web/http/guard.ts'
import type { App, AppContext } from '../../../web/http/context.ts'
import {
  clearSessionCookies,
  mendUserHint,
  sessionToken,
} from '../../../web/http/session-cookie.ts'
import { Refusal } from '../../../core/base/refusals.ts'
import type { SessionActor } from '../../../core/access/actor.ts'
import { verifyToken } from '../../../core/access/token.ts'

/** Clears the session cookies, and what only the user of this session may use. */
export async function clearSessionToken(c: AppContext): Promise<void> {
  clearSessionCookies(c)
  const clears = await loadAll(
    c.get('capabilities').flatMap(({ clearWithSession: load = [] }) => load),
  )
  for (const clear of clears) clear(c)
}

/**
 * Checks the token in the cookie, as `signedIn` checks the token of an API request; refuses the
 * guest.
 */
export const requireSession = createMiddleware<App>(async function requireSession(c, next) {
  await answerAdmitted(c, await readSession(c), next)
})

/** Works like `requireSession`, within a route. */
export async function readSession(c: AppContext): Promise<SessionActor> {
  const deps = c.get('deps')
  const token = sessionToken(c)
  if (token === '') throw new Refusal('guestDisabled')
  const claims = await verifyToken(await deps.keyRing(), token, deps.now())
  mendUserHint(c, claims.userId)
  const session = { ...claims, ...clientOf(c) }
  c.set('caller', { actor: session })
  c.set('actor', session)
  return session
}
