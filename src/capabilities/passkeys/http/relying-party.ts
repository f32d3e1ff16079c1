import type { AppContext } from '../../../web/http/context.ts'
import { type RelyingParty, relyingPartyOf } from '../../../core/base/passkey-site.ts'
import { Refusal } from '../../../core/base/refusals.ts'

/** @throws {Refusal} `noPasskeysHere` under an IP address and over plain http. */
export function relyingPartyIn(c: AppContext): RelyingParty {
  const relyingParty = relyingPartyOf(c.req.url, c.get('deps').passkeySite())
  if (relyingParty === undefined) throw new Refusal('noPasskeysHere')
  return relyingParty
}

/**
 * Adds to an answer what else a ceremony needs: the relying party, and the text of the ceremony.
 *
 * @param session The text. Clients of the API send it back in the header `session`.
 * @throws {Refusal} `noPasskeysHere`.
 */
export function shownIn<Answer>(
  c: AppContext,
  answer: Answer,
  session = c.req.header('session') ?? '',
) {
  return { answer, session, relyingParty: relyingPartyIn(c) }
}
