import { and, eq, inArray } from 'drizzle-orm'
import { openidClients, users } from '../../../schema/tables.ts'
import type { Acting, SessionActor } from '../../core/access/act-as.ts'
import { act, type ChangeDeps, own } from '../../core/access/subject.ts'
import { ADMIN, GUEST } from '../../core/accounts/roles.ts'
import { selectWithPasswordOrPasskey } from '../../core/accounts/store.ts'
import type { Deps } from '../../core/deps.ts'
import type { AuthorizationRequest, Sender } from './authorization-request.ts'
import {
  asksForRefresh,
  giveConsent,
  insertConsentEvent,
  insertGrant,
  insertRefreshEvent,
  isProvenFor,
  selectProven,
  useProof,
  whereAllowed,
} from './authorization-store.ts'
import { type OpenidClient, selectClient } from './client-store.ts'
import { deleteOldCodes } from './grant-store.ts'
import { handleText, hashSecret, newGrantId, newSecret } from './handles.ts'
import { verifyHint } from './id-token-hint.ts'
import { selectSigningKeys } from './keys.ts'
import { OAuthError } from './oauth-error.ts'
import { readProof } from './proof.ts'

type AuthorizeDeps = ChangeDeps & Pick<Deps, 'randomBytes' | 'keyRing' | 'isIssuerSet'>

/**
 * The outcome of a request of a signed-in user. `confirm`: the user must prove again who they are,
 * which needs a password or a passkey here (`canConfirm`). `consent`: the user must allow it.
 */
export type Outcome =
  | { kind: 'code'; client: OpenidClient; code: string }
  | { kind: 'confirm' | 'consent'; client: OpenidClient; account: Acting; canConfirm: boolean }

/**
 * Finds the client of a request.
 *
 * @returns `undefined` for an unknown client, for a redirect URI that it has not registered, and at
 *   another address of this site than the one that it was told.
 */
export async function findSender(
  { db, isIssuerSet }: Pick<Deps, 'db' | 'isIssuerSet'>,
  issuer: string,
  sender: Sender,
): Promise<OpenidClient | undefined> {
  return trusted(await selectClient(db, sender.clientId), sender, isIssuerSet || issuer)
}

/** @param issuer The issuer of this request; true when the operator has set it. */
function trusted(
  [client]: OpenidClient[],
  { redirectUri }: Sender,
  issuer: string | true,
): OpenidClient | undefined {
  if (!client?.redirectUris.includes(redirectUri)) return undefined
  return issuer === true || ['', issuer].includes(client.issuer) ? client : undefined
}

/**
 * Gives out a code, in one round trip, when nothing has to be asked. An ID token as a hint costs
 * another.
 *
 * @param hasConsented The user has just answered the question for consent with yes.
 * @returns `undefined` as `findSender`.
 * @throws {OAuthError} An error for the client.
 * @throws {Refusal} The refusals of `actAs`.
 */
export async function authorize(
  deps: AuthorizeDeps,
  actor: SessionActor,
  issuer: string,
  request: AuthorizationRequest,
  hasConsented = false,
): Promise<Outcome | undefined> {
  const { db } = deps
  const [id, secret] = [newGrantId(deps), newSecret(deps)]
  const codeHash = await hashSecret(secret)
  const proof = await readProof(deps, request, actor)
  const expected = await findExpectedSub(deps, issuer, request)
  const isAsked = !hasConsented && request.prompts.includes('consent')
  const done = await act(deps, own(actor), {}, ({ now, by }) => {
    const isProven = isProvenFor(deps, request, proof, { now, hasConsented })
    const source = whereAllowed(
      actor,
      request,
      and(
        isProven,
        expected === undefined ? undefined : eq(users.sub, expected),
        deps.isIssuerSet ? undefined : inArray(openidClients.issuer, ['', issuer]),
      ),
    )
    const grant = { id, issuer, actor, codeHash, now, proof, hasConsented }
    return {
      found: selectClient(db, request.clientId),
      proven: isProven && selectProven(db, actor, isProven),
      confirming: isProven && selectWithPasswordOrPasskey(db, actor.userId),
      consented: hasConsented ? giveConsent(db, by, source, request, { actor, now }) : undefined,
      allowed: hasConsented ? insertConsentEvent(db, by, source, { actor, now }) : undefined,
      granted: isAsked ? undefined : insertGrant(db, by, source, request, grant),
      tooMany: isAsked ? undefined : deleteOldCodes(db, by, actor, id),
      used: proof && useProof(db, by, proof, id, now),
      refreshing: asksForRefresh(request)
        ? insertRefreshEvent(db, by, id, { actor, now })
        : undefined,
    }
  })
  const { account, found, proven, confirming, granted } = done
  const client = trusted(found, request, deps.isIssuerSet || issuer)
  if (client === undefined) return undefined
  if (granted !== undefined && granted.length > 0)
    return { kind: 'code', client, code: handleText('code', { id, family: '', secret }) }
  refuse(account, client, request)
  if (expected !== undefined && expected !== account.sub)
    throw new OAuthError('login_required', 'another user is signed in')
  const kind = proven?.length === 0 ? 'confirm' : 'consent'
  if (request.prompts.includes('none')) refuseToAsk(kind)
  return { kind, client, account, canConfirm: confirming?.length !== 0 }
}

/** @throws {OAuthError} When the client or the user can't have this, whatever the user answers. */
function refuse(account: Acting, client: OpenidClient, request: AuthorizationRequest): void {
  if (client.secretHash === null && request.challenge === undefined)
    throw new OAuthError('invalid_request', 'a public client needs PKCE: code_challenge is missing')
  if (account.role === GUEST || (client.adminsOnly && account.role !== ADMIN))
    throw new OAuthError('access_denied', 'the user may not use this client')
}

/** @throws {OAuthError} What the user would have to be asked, where a program allows no page. */
function refuseToAsk(kind: 'confirm' | 'consent'): never {
  if (kind === 'confirm') throw new OAuthError('login_required', 'the user must sign in again')
  throw new OAuthError('consent_required', 'the user has not allowed this')
}

/**
 * Finds whom a program expects: the `sub` of the ID token that it shows. A text that is no ID token
 * of this program expects nobody when no page can ask, because the answer must not tell who is
 * signed in.
 *
 * @returns Empty, which no user has, for nobody; `undefined` when every user may answer.
 * @see https://openid.net/specs/openid-connect-core-1_0.html#AuthRequestValidation
 */
async function findExpectedSub(
  { db, now }: Pick<Deps, 'db' | 'now'>,
  issuer: string,
  { idTokenHint: hint, clientId, prompts }: AuthorizationRequest,
): Promise<string | undefined> {
  if (hint === undefined) return undefined
  const claims = await verifyHint(await selectSigningKeys(db, now()), { issuer, clientId }, hint)
  if (claims !== undefined) return claims.sub
  return prompts.includes('none') ? '' : undefined
}
