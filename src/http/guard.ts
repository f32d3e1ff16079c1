import { createMiddleware } from 'hono/factory'
import { auth } from 'hono/utils/basic-auth'
import { sha256Hex } from '../base/encoding.ts'
import { Refusal, type RefusalName } from '../base/refusals.ts'
import type { Actor } from '../access/act-as.ts'
import { verifyToken } from '../access/token.ts'
import { findGuest } from '../accounts/store.ts'
import { clientOf } from './client.ts'
import type { App, AppContext } from './context.ts'

/**
 * Sets the caller: the guest, or the session of a token with a valid signature. `actAs` confirms
 * that session in D1, in the same round trip as the work that is done for it.
 */
export const guard = createMiddleware<App>(async function guard(c, next) {
  const deps = c.get('deps')
  const token = bearerToken(c)
  if (token === '') {
    const guest = await findGuest(deps.db)
    if (guest === undefined || guest.disabled) throw new Refusal('guestDisabled')
    c.set('caller', { guest })
  } else {
    const claims = await verifyToken(await deps.keyRing(), token, deps.now())
    c.set('caller', { session: { ...claims, ...clientOf(c) } })
  }
  await next()
})

/** Refuses the guest before the input is read. */
export function notGuest(refusal: RefusalName) {
  return createMiddleware<App>(async function refuseGuest(c, next) {
    sessionOf(c, refusal)
    await next()
  })
}

/** @throws {Refusal} `refusal` when the caller is the guest. */
export function sessionOf(c: AppContext, refusal: RefusalName): Actor {
  const caller = c.get('caller')
  if ('guest' in caller) throw new Refusal(refusal)
  return caller.session
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
