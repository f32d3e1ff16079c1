import type { Deps } from '../../core/deps.ts'
import { runBatch } from '../../core/database/statements.ts'
import { selectSessionOf } from '../../core/access/session-store.ts'
import { withQuery } from './answer-uri.ts'
import { type OpenidClient, selectClient } from './client-store.ts'
import { readHint, verifyHint } from './id-token-hint.ts'
import { selectSigningKeys } from './keys.ts'
import type { Parameters } from './parameters.ts'

/** A request to sign out, as far as it can be trusted. */
interface EndRequest {
  client: OpenidClient | undefined
  /** The session of a genuine ID token, while there is one. */
  session: { userId: number; sessionId: string } | undefined
  /** Where the user goes after the sign-out, with the state. */
  returnTo: string | undefined
}

/**
 * Reads a request to sign out, in one round trip.
 *
 * @see https://openid.net/specs/openid-connect-rpinitiated-1_0.html#RPLogout
 */
export async function readEndRequest(
  deps: Pick<Deps, 'db' | 'now'>,
  issuer: string,
  { id_token_hint: hint = '', client_id: named, post_logout_redirect_uri: uri, state }: Parameters,
): Promise<EndRequest> {
  const { db } = deps
  const shown = readHint(hint)
  const clientId = shown?.aud ?? named ?? ''
  const { found, keys, sessions } = await runBatch(db, {
    found: selectClient(db, clientId),
    keys: selectSigningKeys(db, deps.now()),
    sessions: selectSessionOf(db, shown?.sub ?? '', shown?.sid ?? ''),
  })
  const claims = await verifyHint(keys, { issuer, clientId }, hint)
  const isOfOther = named !== undefined && named !== clientId
  // A hint that is not genuine counts for nothing: it names neither the program nor its address.
  const isTrusted = !isOfOther && (hint === '' || claims !== undefined)
  const client = isTrusted ? found[0] : undefined
  const isRegistered = uri !== undefined && client?.postLogoutUris.includes(uri) === true
  return {
    client,
    session: client && claims && sessions[0],
    returnTo: isRegistered ? withQuery(uri, { state }) : undefined,
  }
}
