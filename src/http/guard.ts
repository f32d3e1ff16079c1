import { createMiddleware } from 'hono/factory'
import { auth } from 'hono/utils/basic-auth'
import { sha256Hex } from '../base/encoding.ts'
import { Refusal, type RefusalName } from '../base/refusals.ts'
import type { Actor } from '../access/act-as.ts'
import { verifyToken } from '../access/token.ts'
import { findGuest } from '../accounts/store.ts'
import { clientOf } from './client.ts'
import type { App, AppContext, Caller } from './context.ts'

const guards = new WeakSet<object>()

/** Tells whether a middleware asks for a token; for the OpenAPI document. */
export function isGuard(middleware: object): boolean {
  return guards.has(middleware)
}

/**
 * Lets everybody in who may read as a guest or with a token, and sets the caller. The signature of
 * a token is checked here; `actAs` confirms its session in D1, in the same round trip as the work
 * that is done for it.
 */
export const anyCaller = registered(
  createMiddleware<App>(async function anyCaller(c, next) {
    c.set('caller', await findCaller(c))
    await next()
  }),
)

/**
 * Lets signed-in users in, and sets the actor.
 *
 * @param refusal The answer to the guest.
 */
export function signedIn(refusal: RefusalName) {
  return registered(
    createMiddleware<App>(async function requireUser(c, next) {
      // A route may say who calls before its input is read, and refuse the guest after it.
      const caller = c.get('caller') ?? (await findCaller(c))
      if ('guest' in caller) throw new Refusal(refusal)
      c.set('caller', caller)
      c.set('actor', caller.session)
      await next()
    }),
  )
}

/** Lets signed-in users in; `actAsOperator` refuses those who are no admins, in the same round trip. */
export function admin() {
  return signedIn('notAdmin')
}

/** The signed-in user of a route behind `signedIn` or `admin`. */
export function actorOf(c: AppContext): Actor {
  const actor = c.get('actor')
  if (actor === undefined) throw new TypeError('this route has no signedIn() or admin()')
  return actor
}

async function findCaller(c: AppContext): Promise<Caller> {
  const deps = c.get('deps')
  const token = bearerToken(c)
  if (token === '') {
    const guest = await findGuest(deps.db)
    if (guest === undefined || guest.disabled) throw new Refusal('guestDisabled')
    return { guest }
  }
  const claims = await verifyToken(await deps.keyRing(), token, deps.now())
  return { session: { ...claims, ...clientOf(c) } }
}

function registered<Middleware extends object>(middleware: Middleware): Middleware {
  guards.add(middleware)
  return middleware
}

/** Returns the token of the request, or an empty text. The stock client sends it without `Bearer`. */
export function bearerToken(c: AppContext): string {
  return (c.req.header('Authorization') ?? '').trim().replace(/^bearer\s+/i, '')
}

/** Hashes the service token of the request: a bearer token, or the password of basic authentication. */
export function serviceTokenHash(c: AppContext): Promise<string> {
  const basic = auth(c.req.raw)
  return sha256Hex(basic?.password ?? bearerToken(c))
}
