import type { RelyingParty } from '../../../core/base/passkey-site.ts'
import type { Deps } from '../../../core/deps.ts'
import { beginAssertion } from '../begin.ts'
import type { BegunCeremony } from '../../../web/kit/view.ts'

/** Begins a confirmation by a user with a passkey. */
export async function beginOnPage(
  deps: Pick<Deps, 'db' | 'keyRing' | 'randomBytes' | 'now'>,
  relyingParty: RelyingParty,
  username: string,
): Promise<BegunCeremony> {
  const { options, session } = await beginAssertion(deps, relyingParty, username)
  return { options: options.publicKey, session }
}
