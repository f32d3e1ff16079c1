import { eventOf, insertEvent } from '../../core/audit/events.ts'
import { logEvent } from '../../core/audit/audit-event.ts'
import { runBatch, THE_SERVICE } from '../../core/database/statements.ts'
import type { Deps } from '../../core/deps.ts'
import { equalBytes, sha256Base64Url } from '../../core/base/encoding.ts'
import type { Client } from '../../core/base/network.ts'
import { type OpenidClient, type Credentials, isClient, selectClient } from './client-store.ts'
import {
  endAccessToken,
  endReplayedCode,
  endFamily,
  endReplayedRefreshToken,
  type NewTokens,
  selectByAccessToken,
  selectNewest,
  type ShownAccessToken,
  type SignedInUser,
  useCode,
  useRefreshToken,
} from './grant-store.ts'
import { handleText, hashSecret, newGrantId, newSecret, parseHandle } from './handles.ts'
import { signIdToken } from './id-token.ts'
import { ensureKey, selectSigningKeys, type StoredSigningKey } from './keys.ts'
import { OAuthError } from './oauth-error.ts'
import type { Parameters } from './parameters.ts'
import { parseScope } from './scopes.ts'

/** Everything that the token endpoint uses. */
type TokenDeps = Pick<
  Deps,
  'db' | 'now' | 'keyRing' | 'randomBytes' | 'makeSigningKey' | 'kv' | 'isolateMemory'
>

/** The request of a client that has shown credentials. */
interface TokenRequest {
  credentials: Credentials
  form: Parameters
  from: Client
}

/**
 * Exchanges a code or a refresh token for tokens, in one round trip. The code or the token is used
 * up only when the client's credentials are right.
 *
 * @throws {OAuthError} `invalid_request`, `invalid_client`, `invalid_grant`, `invalid_scope`,
 *   `unsupported_grant_type`.
 * @see RFC 6749 sections 4.1.3 and 6
 */
export async function exchange(deps: TokenDeps, request: TokenRequest) {
  const { grant_type: type } = request.form
  if (type === 'authorization_code') return exchangeCode(deps, request)
  if (type === 'refresh_token') return refresh(deps, request)
  if (type === undefined) throw new OAuthError('invalid_request', 'grant_type is missing')
  throw new OAuthError('unsupported_grant_type', 'use authorization_code or refresh_token')
}

async function exchangeCode(deps: TokenDeps, { credentials, form, from }: TokenRequest) {
  const { code: text, redirect_uri: redirectUri, code_verifier: verifier } = form
  if (text === undefined || redirectUri === undefined)
    throw new OAuthError('invalid_request', 'code or redirect_uri is missing')
  const handle = parseHandle('code', text) ?? NO_HANDLE
  const code = {
    id: handle.id,
    clientId: credentials.clientId,
    codeHash: await hashSecret(handle.secret),
    redirectUri,
    challenge: verifier === undefined ? null : await challengeOf(verifier),
  }
  const { db } = deps
  const now = deps.now()
  const by = isClient(db, credentials)
  const made = await newTokens(deps, handle.id)
  const { client, keys, ended, found } = await runBatch(db, {
    client: selectClient(db, credentials.clientId),
    keys: selectSigningKeys(db, now),
    used: useCode(db, by, code, made.hashes, now),
    ended: endReplayedCode(db, by, code, made.hashes),
    found: selectByAccessToken(db, { id: handle.id, accessHash: made.hashes.accessHash }, now),
  })
  refuseWrongClient(client[0], credentials)
  await noteReplay(deps, client[0], ended, from)
  return tokensFor(deps, { keys, now, client: client[0], user: found[0], made, isFirst: true })
}

async function refresh(deps: TokenDeps, { credentials, form, from }: TokenRequest) {
  const { refresh_token: text, scope = '' } = form
  if (text === undefined) throw new OAuthError('invalid_request', 'refresh_token is missing')
  // Unknown names are ignored, as they were when the client asked first.
  const scopes = parseScope(scope)
  if (scope.trim() !== '' && !scopes.includes('openid'))
    throw new OAuthError('invalid_scope', 'the scope must contain openid')
  const handle = parseHandle('refresh', text) ?? NO_HANDLE
  const token = {
    id: handle.id,
    clientId: credentials.clientId,
    familyHash: await hashSecret(handle.family),
    refreshHash: await hashSecret(handle.secret),
    scopes,
  }
  const { db } = deps
  const now = deps.now()
  const by = isClient(db, credentials)
  const made = await newTokens(deps, handle.id, handle.family)
  const { client, keys, newest, used, ended, found } = await runBatch(db, {
    client: selectClient(db, credentials.clientId),
    keys: selectSigningKeys(db, now),
    // Stands before the use, which replaces the token.
    newest: token.scopes.length > 0 ? selectNewest(db, token, now) : undefined,
    used: useRefreshToken(db, by, token, made.hashes, now),
    ended: endReplayedRefreshToken(db, by, token, made.hashes),
    found: selectByAccessToken(db, { id: handle.id, accessHash: made.hashes.accessHash }, now),
  })
  refuseWrongClient(client[0], credentials)
  if (used.length === 0 && newest !== undefined && newest.length > 0)
    throw new OAuthError('invalid_scope', 'the scope is wider than the one that was granted')
  await noteReplay(deps, client[0], ended, from)
  return tokensFor(deps, { keys, now, client: client[0], user: found[0], made, isFirst: false })
}

/** Stands in for a text that is no handle: no row has its id. */
const NO_HANDLE = { id: '', family: '', secret: '' }

/**
 * @returns An empty text, which is no challenge, for a verifier of another form.
 * @see RFC 7636 sections 4.1 and 4.6
 */
async function challengeOf(verifier: string): Promise<string> {
  if (!/^[\w.~-]{43,128}$/.test(verifier)) return ''
  return sha256Base64Url(verifier)
}

interface MadeTokens {
  access: string
  refresh: string
  hashes: NewTokens
}

async function newTokens(
  deps: TokenDeps,
  id: string,
  family = newGrantId(deps),
): Promise<MadeTokens> {
  const [access, refreshSecret] = [newSecret(deps), newSecret(deps)]
  const [accessHash, familyHash, refreshHash] = await Promise.all(
    [access, family, refreshSecret].map(hashSecret),
  )
  return {
    access: handleText('access', { id, family: '', secret: access }),
    refresh: handleText('refresh', { id, family, secret: refreshSecret }),
    hashes: {
      accessHash: accessHash ?? '',
      familyHash: familyHash ?? '',
      refreshHash: refreshHash ?? '',
    },
  }
}

/**
 * The statements have compared the hashes already; this tells the client why nothing was done.
 *
 * @throws {OAuthError} `invalid_client`.
 */
function refuseWrongClient(
  client: OpenidClient | undefined,
  { secretHash }: Credentials,
): asserts client is OpenidClient {
  const encoder = new TextEncoder()
  const stored = encoder.encode(client?.secretHash ?? '')
  if (client === undefined || !equalBytes(stored, encoder.encode(secretHash ?? '')))
    throw new OAuthError('invalid_client', 'the client or its secret is not known')
}

/**
 * Records that a code or a refresh token was used a second time, which is how a thief shows, and
 * has the program told that what came of it has ended.
 */
async function noteReplay(
  deps: TokenDeps,
  { name }: OpenidClient,
  ended: { userId: number }[],
  from: Client,
): Promise<void> {
  const [first] = ended
  if (first === undefined) return
  const event = eventOf({ ...from, userId: first.userId }, 'access_replayed', deps.now(), name)
  logEvent(event)
  await insertEvent(deps.db, THE_SERVICE, event)
}

interface Exchanged {
  keys: readonly StoredSigningKey[]
  /** When the tokens began. */
  now: number
  client: OpenidClient
  user: SignedInUser | undefined
  made: MadeTokens
  isFirst: boolean
}

async function tokensFor(deps: TokenDeps, { keys, now, client, user, made, isFirst }: Exchanged) {
  if (user === undefined)
    throw new OAuthError('invalid_grant', 'the code or the token is wrong, used or expired')
  const signers = await ensureKey(deps, keys)
  return {
    access_token: made.access,
    token_type: 'Bearer',
    expires_in: Math.floor((user.expiresAt - now) / 1000),
    scope: user.scope,
    id_token: await signIdToken(deps, signers, user, {
      accessToken: made.access,
      isFirst,
      hasEmail: client.emailInIdToken,
    }),
    ...(user.refreshHash !== null && { refresh_token: made.refresh }),
  }
}

/** @returns `undefined` for a text that is no access token. */
export async function readAccessToken(text: string): Promise<ShownAccessToken | undefined> {
  const handle = parseHandle('access', text)
  return handle && { id: handle.id, accessHash: await hashSecret(handle.secret) }
}

/**
 * Finds the user of an access token, in one round trip.
 *
 * @throws {OAuthError} `invalid_token`.
 */
export async function findByAccessToken(
  { db, now }: Pick<Deps, 'db' | 'now'>,
  text: string,
): Promise<SignedInUser> {
  const shown = await readAccessToken(text)
  const [user] = shown === undefined ? [] : await selectByAccessToken(db, shown, now())
  if (user === undefined) throw new OAuthError('invalid_token', 'the access token is not in force')
  return user
}

/**
 * Ends a token. A refresh token ends everything that came of the same sign-in, also when it was
 * replaced before. A token that is unknown, or that another client has, changes nothing.
 *
 * @throws {OAuthError} `invalid_request`, `invalid_client`.
 * @see RFC 7009 section 2
 */
export async function revoke(
  { db }: Pick<Deps, 'db'>,
  { credentials, form }: Pick<TokenRequest, 'credentials' | 'form'>,
): Promise<void> {
  const { token: text } = form
  if (text === undefined) throw new OAuthError('invalid_request', 'token is missing')
  const { clientId } = credentials
  const by = isClient(db, credentials)
  const [access, refreshing] = [parseHandle('access', text), parseHandle('refresh', text)]
  const accessHash = await hashSecret((access ?? NO_HANDLE).secret)
  const familyHash = await hashSecret((refreshing ?? NO_HANDLE).family)
  const family = refreshing && { id: refreshing.id, clientId, familyHash }
  const { client } = await runBatch(db, {
    client: selectClient(db, clientId),
    ended: access && endAccessToken(db, by, { id: access.id, accessHash }, clientId),
    ...(family && endFamily(db, by, family)),
  })
  refuseWrongClient(client[0], credentials)
}
