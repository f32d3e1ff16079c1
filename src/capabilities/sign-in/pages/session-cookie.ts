import { deleteCookie, getCookie, setCookie } from 'hono/cookie'
import { createMiddleware } from 'hono/factory'
import { clientOf } from '../../../web/http/client.ts'
import { answerAdmitted } from '../../../web/http/guard.ts'
import type { App, AppContext } from '../../../web/http/context.ts'
import { Refusal } from '../../../core/base/refusals.ts'
import type { SessionActor } from '../../../core/access/actor.ts'
import { verifyToken } from '../../../core/access/token.ts'
import { clearProvenIdentity } from '../../sso/http/proven-identity.ts'

/**
 * Browsers send a `__Host-` cookie to this host only, and only over https. Over http, which `npm
 * start` serves, they drop it, so the cookie has another name there.
 *
 * @see RFC 6265bis section 4.1.3.2
 */
function cookieOf(c: AppContext) {
  const secure = c.req.url.startsWith('https:')
  const options = { path: '/', httpOnly: true, sameSite: 'Strict', secure } as const
  return { name: secure ? '__Host-session' : 'session', options }
}

/** Returns the token of the visitor's session; empty when there is no session cookie. */
export function sessionToken(c: AppContext): string {
  return getCookie(c, cookieOf(c).name) ?? ''
}

export function setSessionToken(c: AppContext, token: string): void {
  const { name, options } = cookieOf(c)
  setCookie(c, name, token, { ...options, maxAge: c.get('deps').tokenSeconds() })
}

/** Clears the session cookie, and an identity that only the user of this session may link. */
export function clearSessionToken(c: AppContext): void {
  const { name, options } = cookieOf(c)
  deleteCookie(c, name, options)
  clearProvenIdentity(c)
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
  const session = { ...claims, ...clientOf(c) }
  c.set('caller', { actor: session })
  c.set('actor', session)
  return session
}
