import { createMiddleware } from 'hono/factory'
import { auth } from 'hono/utils/basic-auth'
import { sha256Hex } from '../../core/base/encoding.ts'
import { Refusal, type RefusalName } from '../../core/base/refusals.ts'
import {
  type Actor,
  credentialOf,
  isSessionActor,
  type Needs,
  type SessionActor,
} from '../../core/access/actor.ts'
import { isAppPassword, looksLikeAppPassword } from '../../core/access/app-password-form.ts'
import { readAccountAs } from '../../core/access/read-account.ts'
import { type SessionClaims, verifyToken } from '../../core/access/token.ts'
import { loadWithDatabase } from '../../core/deps.ts'
import { clientOf } from './client.ts'
import type { App, AppContext, Caller } from './context.ts'
import { hasClientHere, readMarker, sessionToken } from './session-cookie.ts'

/** The credentials that guards need, by the guard. */
const guards = new WeakMap<object, Needs>()

/**
 * Returns the credential that a guard needs, for the OpenAPI document; `undefined` for other
 * middleware.
 */
export function needsOf(middleware: object): Needs | undefined {
  return guards.get(middleware)
}

/**
 * Lets everybody in who may read as a guest, with a token or with an app password, and sets the
 * caller. The signature of a token is checked here; `actAs` confirms its session in D1, in the same
 * round trip as the work that is done for it.
 *
 * @param needs The scope that an app password must have, or `session` when none may call.
 */
export function anyCaller(needs: Needs) {
  return registered(
    needs,
    createMiddleware<App>(async function findAnyCaller(c, next) {
      const caller = await findCaller(c, needs)
      c.set('caller', caller)
      if ('guest' in caller) await next()
      else await answerAdmitted(c, caller.actor, next)
    }),
  )
}

/**
 * Lets signed-in users and app passwords in, and sets the actor. `actAs` checks the scope in D1,
 * with the rest.
 *
 * @param refusal The answer to the guest.
 * @param needs The scope that an app password must have, or `session` when none may call.
 */
export function signedIn(refusal: RefusalName, needs: Needs) {
  return registered(
    needs,
    createMiddleware<App>(async function requireUser(c, next) {
      // A route may say who calls before its input is read, and refuse the guest after it.
      const caller = c.get('caller') ?? (await findCaller(c, needs))
      if ('guest' in caller) throw new Refusal(refusal)
      const { actor } = caller
      if (!isSessionActor(actor) && actor.needs !== needs)
        throw new TypeError('the guards of this route need different scopes')
      c.set('caller', caller)
      c.set('actor', actor)
      await answerAdmitted(c, actor, next)
    }),
  )
}

/**
 * Lets signed-in users in, and app passwords of the scope `admin`; the decision refuses those who
 * are no admins, in the same round trip.
 */
export function admin() {
  return signedIn('notAdmin', 'admin')
}

/**
 * Runs a route, and drops its answer when no decision has asked D1 whether the actor may act. A
 * signature alone is not enough: the session may have ended.
 *
 * @throws {TypeError} When the route did not ask.
 */
export async function answerAdmitted(c: AppContext, actor: Actor, next: () => Promise<void>) {
  await next()
  // A page answers a refusal and a sign-out with another status.
  if (c.error === undefined && c.res.ok && !c.get('deps').db.admitted.has(credentialOf(actor)))
    throw new TypeError('this route answers without actAs, so ended sessions would pass')
}

/** The caller of a route behind `signedIn` or `admin`. */
export function actorOf(c: AppContext): Actor {
  const actor = c.get('actor')
  if (actor === undefined) throw new TypeError('this route has no signedIn() or admin()')
  return actor
}

/** The session of a route behind `signedIn(…, 'session')`. */
export function sessionOf(c: AppContext): SessionActor {
  const actor = actorOf(c)
  if (!isSessionActor(actor)) throw new TypeError('this route admits app passwords')
  return actor
}

async function findCaller(c: AppContext, needs: Needs): Promise<Caller> {
  const deps = c.get('deps')
  const actor = await findActor(c, needs)
  if (actor !== undefined) return { actor }
  const { findGuest } = await loadWithDatabase(() => import('../../core/accounts/store.ts'))
  const guest = await findGuest(deps.db)
  if (guest === undefined || guest.disabled) throw new Refusal('guestDisabled')
  return { guest }
}

/**
 * Finds the session or the app password of a request, and sets it as the caller.
 *
 * @returns `undefined` when the request has no credential.
 * @throws {Refusal} 401 for a token with a wrong signature or a wrong checksum, and for a marker
 *   without its session; `sessionNeeded`.
 */
export async function findActor(c: AppContext, needs: Needs): Promise<Actor | undefined> {
  const deps = c.get('deps')
  const basic = auth(c.req.raw)
  const token = basic?.password ?? bearerToken(c)
  if (token === '' && basic === undefined) return undefined
  if (!looksLikeAppPassword(token)) {
    // Basic authentication names a user, and is for app passwords only.
    if (basic !== undefined) throw new Refusal('tokenInvalidated')
    return { ...(await readClaims(c, token)), ...clientOf(c) }
  }
  if (!isAppPassword(token)) throw new Refusal('tokenInvalidated')
  const { appPasswordActor } = await loadWithDatabase(
    () => import('../../core/access/app-password-actor.ts'),
  )
  const actor = appPasswordActor(token, basic?.username, needs, clientOf(c))
  c.set('caller', { actor })
  // No decision of such a route would check it.
  if (needs === 'session') await readAccountAs(deps, actor)
  return actor
}

/**
 * Reads a token, or the session cookie that a marker stands for.
 *
 * @throws {Refusal} `tokenInvalidated`, `tokenExpired`; `anotherUser` when the browser's session is
 *   not that of the user who opened the page.
 */
async function readClaims(c: AppContext, token: string): Promise<SessionClaims> {
  const deps = c.get('deps')
  const marker = readMarker(c, token)
  if (marker === undefined) {
    // Somebody may have put a token of another account into the storage of the web client.
    if (c.req.header('Sec-Fetch-Site') === 'same-origin' && hasClientHere(c))
      throw new Refusal('tokenInvalidated')
    return verifyToken(await deps.keyRing(), token, deps.now())
  }
  if (!marker.isHere) throw new Refusal('tokenInvalidated')
  c.set('isByMarker', true)
  const kept = sessionToken(c)
  if (kept === '') throw new Refusal('tokenExpired')
  const claims = await verifyToken(await deps.keyRing(), kept, deps.now())
  if (claims.userId !== marker.userId) throw new Refusal('anotherUser')
  return claims
}

function registered<Middleware extends object>(needs: Needs, middleware: Middleware): Middleware {
  guards.set(middleware, needs)
  return middleware
}

/** Returns the token of the request, or an empty text. The stock client sends it without `Bearer`. */
export function bearerToken(c: AppContext): string {
  return (c.req.header('Authorization') ?? '').trim().replace(/^bearer\s+/i, '')
}

/** Hashes the service token of the request: a bearer token, or the password of basic authentication. */
export function serviceTokenHash(c: AppContext): Promise<string> {
  const basic = auth(c.req.raw)
  return sha256Hex(basic === undefined ? bearerToken(c) : formDecoded(basic.password))
}

/**
 * Decodes a password that an OAuth client has encoded. A service token itself has no `%`.
 *
 * @see RFC 6749 section 2.3.1
 */
function formDecoded(password: string): string {
  try {
    return decodeURIComponent(password)
  } catch {
    return password
  }
}
