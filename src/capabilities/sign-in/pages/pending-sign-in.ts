import { deleteCookie, getCookie, setCookie } from 'hono/cookie'
import * as v from 'valibot'
import type { AppContext } from '../../../web/http/context.ts'
import { openBox, sealBox } from '../../../core/crypto/sealed-box.ts'

const LIFETIME_SECONDS = 5 * 60
const SEAL_PURPOSE = 'sign-in'

/** A sign-in between its two forms: the password was right, the code is missing. */
interface PendingSignIn {
  username: string
  /** Static digest of the password. */
  digest: string
}

const schema = v.object({ username: v.string(), digest: v.string(), expiresAt: v.number() })

/**
 * Keeps name and digest in a sealed cookie for five minutes, so that users type the password once
 * and no page holds it. The cookie is not a credential: `login` checks the password again, together
 * with the code.
 */
export async function savePendingSignIn(c: AppContext, pending: PendingSignIn): Promise<void> {
  const deps = c.get('deps')
  const content = JSON.stringify({ ...pending, expiresAt: deps.now() + LIFETIME_SECONDS * 1000 })
  const bytes = new Uint8Array(new TextEncoder().encode(content))
  const { name, options } = cookieOf(c)
  setCookie(c, name, await sealBox(deps, await deps.keyRing(), bytes, SEAL_PURPOSE), {
    ...options,
    maxAge: LIFETIME_SECONDS,
  })
}

/** @returns `undefined` when there is no pending sign-in, or it has expired. */
export async function readPendingSignIn(c: AppContext): Promise<PendingSignIn | undefined> {
  const deps = c.get('deps')
  const sealed = getCookie(c, cookieOf(c).name)
  if (sealed === undefined) return undefined
  const ring = await deps.keyRing()
  const bytes = await openBox(ring, sealed, SEAL_PURPOSE, 'a sign-in').catch(() => undefined)
  if (bytes === undefined) return undefined
  const { expiresAt, ...pending } = v.parse(schema, JSON.parse(new TextDecoder().decode(bytes)))
  return deps.now() < expiresAt ? pending : undefined
}

export function clearPendingSignIn(c: AppContext): void {
  const { name, options } = cookieOf(c)
  if (getCookie(c, name) === undefined) return
  deleteCookie(c, name, options)
}

/**
 * The prefix is `__Secure-`, because `__Host-` demands the path `/`: only these pages get the
 * cookie.
 */
function cookieOf(c: AppContext) {
  const secure = c.req.url.startsWith('https:')
  const options = { path: '/account/sign-in', httpOnly: true, sameSite: 'Strict', secure } as const
  return { name: secure ? '__Secure-sign-in' : 'sign-in', options }
}
