import type { AppContext } from '../../../web/http/context.ts'
import { filesOriginFrom } from '../../../core/base/file-server.ts'
import { relyingPartyOf } from '../../../core/base/passkey-site.ts'
import { loadWithDatabase } from '../../../core/deps.ts'
import { parseClientPath } from '../../../web/kit/local-path.ts'
import { beginForAnybody } from '../../passkeys/begin-for-anybody.ts'
import { type BegunCeremony, pageSourceOf } from '../../../web/kit/view.ts'
import { isFilesPath } from './next.ts'

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

/**
 * Finds the page of the files that a visitor may read without a sign-in.
 *
 * @returns Its address; `undefined` where the sign-in is not for files, or the guest is disabled.
 */
export async function guestPage(c: AppContext, next: string): Promise<string | undefined> {
  const page = isFilesPath(next) ? next : pageAtFilesHost(c, next)
  if (page === undefined) return undefined
  const { isGuestEnabled } = await loadWithDatabase(() => import('./guest-page.ts'))
  return (await isGuestEnabled(c)) ? page : undefined
}

/** Reads the page of the files' own host for which a visitor signs in. */
function pageAtFilesHost(c: AppContext, next: string): string | undefined {
  if (!next.startsWith('/account/files?')) return undefined
  const here = new URL(c.req.url)
  const files = c.get('deps').fileServer()
  const origin = files && filesOriginFrom(files, here)
  if (origin === undefined) return undefined
  return origin + (parseClientPath(new URL(next, here).searchParams.get('next') ?? '') || '/')
}
