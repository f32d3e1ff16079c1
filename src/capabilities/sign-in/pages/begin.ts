import type { AppContext } from '../../../web/http/context.ts'
import { loadPart } from '../../../core/base/load-part.ts'
import { relyingPartyOf } from '../../../core/base/passkey-site.ts'
import { loadDatabase } from '../../../core/deps.ts'
import { beginForAnybody } from '../../passkeys/begin-for-anybody.ts'
import { type BegunCeremony, pageSourceOf } from '../../../web/kit/view.ts'

/** Finds the program that waits behind `next`. */
export async function findAsking(c: AppContext, next: string) {
  for (const { asking: find } of pageSourceOf(c).parts) {
    const asking = await find?.(c, next)
    if (asking !== undefined) return asking
  }
  return undefined
}

/** Begins a sign-in with any passkey of this site, which reads nothing and writes nothing. */
export async function beginSignIn(c: AppContext): Promise<BegunCeremony | undefined> {
  const deps = c.get('deps')
  const relyingParty = relyingPartyOf(c.req.url, deps.passkeySite())
  if (relyingParty === undefined) return undefined
  const { options, session } = await beginForAnybody(deps, relyingParty)
  return { options: options.publicKey, session }
}

/** Finds the page of the files that a visitor may read without a sign-in; `undefined` for none. */
export async function guestPage(c: AppContext, next: string): Promise<string | undefined> {
  if (c.get('deps').fileServer() === undefined) return undefined
  const [{ findGuestPage }] = await Promise.all([
    loadPart(() => import('./guest-page.ts')),
    loadPart(loadDatabase),
  ])
  return findGuestPage(c, next)
}
