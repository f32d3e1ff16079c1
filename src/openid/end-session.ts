import { compactVerify } from 'jose/jws/compact/verify'
import * as v from 'valibot'
import type { Deps } from '../deps.ts'
import { runBatch } from '../database/statements.ts'
import { type Client, selectClient } from './client-store.ts'
import { findPublicKey, selectKeys } from './keys.ts'
import type { Parameters } from './parameters.ts'

/** A request to sign out, as far as it can be trusted. */
export interface EndRequest {
  client: Client | undefined
  /** The session of a genuine ID token; `undefined` when the user must be asked. */
  session: { userId: number; sessionId: string } | undefined
  /** Where the user goes after the sign-out, with the state. */
  returnTo: string | undefined
}

const hintSchema = v.object({ iss: v.string(), sub: v.string(), aud: v.string(), sid: v.string() })

/**
 * Reads a request to sign out, in one round trip. An ID token that has expired is good: clients
 * keep it for this.
 *
 * @see https://openid.net/specs/openid-connect-rpinitiated-1_0.html#RPLogout
 */
export async function readEndRequest(
  deps: Pick<Deps, 'db' | 'now'>,
  issuer: string,
  { id_token_hint: hint, client_id: named, post_logout_redirect_uri: uri, state }: Parameters,
): Promise<EndRequest> {
  const { db } = deps
  const claimed = hint === undefined ? undefined : readClaims(hint.split('.')[1] ?? '')
  const clientId = claimed?.aud ?? named ?? ''
  const { found, keys } = await runBatch(db, {
    found: selectClient(db, clientId),
    keys: selectKeys(db, deps.now()),
  })
  const isOfOther = named !== undefined && named !== clientId
  const client = isOfOther ? undefined : found[0]
  const isGenuine =
    hint !== undefined &&
    client !== undefined &&
    claimed?.iss === issuer &&
    (await compactVerify(hint, async ({ kid }) => (await findPublicKey(keys, kid)) ?? refuse(), {
      algorithms: ['RS256'],
    }).then(
      () => true,
      () => false,
    ))
  const isRegistered = uri !== undefined && client?.postLogoutUris.includes(uri) === true
  return {
    client,
    session:
      isGenuine && claimed ? { userId: Number(claimed.sub), sessionId: claimed.sid } : undefined,
    returnTo: isRegistered ? withState(uri, state) : undefined,
  }
}

function refuse(): never {
  throw new TypeError('no such key')
}

function readClaims(payload: string): v.InferOutput<typeof hintSchema> | undefined {
  try {
    const json: unknown = JSON.parse(atob(payload.replaceAll('-', '+').replaceAll('_', '/')))
    return v.is(hintSchema, json) ? json : undefined
  } catch {
    return undefined
  }
}

function withState(uri: string, state: string | undefined): string {
  if (state === undefined) return uri
  return `${uri}${uri.includes('?') ? '&' : '?'}${new URLSearchParams({ state }).toString()}`
}
