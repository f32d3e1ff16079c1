import type { RelyingParty } from '../../../core/base/passkey-site.ts'
import { Refusal, type RefusalName } from '../../../core/base/refusals.ts'
import type { Deps } from '../../../core/deps.ts'
import type { AppContext } from '../../../web/http/context.ts'
import { validateJson } from '../../../web/http/input.ts'
import { assertionSchema } from '../answer-schemas.ts'
import { beginAssertion } from '../begin.ts'
import { shownIn } from '../http/relying-party.ts'
import type { Fields } from '../../../web/kit/form.ts'
import type { BegunCeremony } from '../../../web/kit/view.ts'

/** @param username Empty for a sign-in, which then reads nothing. */
export async function beginOnPage(
  deps: Pick<Deps, 'db' | 'keyRing' | 'randomBytes' | 'now'>,
  relyingParty: RelyingParty,
  username = '',
): Promise<BegunCeremony> {
  const { options, session } = await beginAssertion(deps, relyingParty, username)
  return { options: options.publicKey, session }
}

/**
 * Reads the answer of a passkey to a sign-in or a confirmation.
 *
 * @param refusal The answer to one that cannot be read.
 */
export function readAssertion(c: AppContext, fields: Fields, refusal: RefusalName) {
  const { passkey_answer: json = '', passkey_session: session = '' } = fields
  try {
    return shownIn(c, validateJson(assertionSchema, json), session)
  } catch (error) {
    if (!(error instanceof Refusal) || error.refusal !== 'invalidBody') throw error
    throw new Refusal(refusal, { detail: error.message })
  }
}
