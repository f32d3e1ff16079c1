import { and, eq, gt, ne, or, type SQL, sql } from 'drizzle-orm'
import {
  auditEvents,
  openidClients,
  openidConsents,
  openidGrants,
  sessions,
  users,
} from '../../schema/tables.ts'
import { eventOf, eventRow, logEvent } from '../audit/events.ts'
import { type Authority, writing } from '../database/statements.ts'
import type { Database, Deps } from '../deps.ts'
import { ADMIN, GUEST } from '../accounts/roles.ts'
import { type ActorDeps, actAs, type Acting, type SessionActor } from '../access/act-as.ts'
import { isLive, isSession } from '../access/session-store.ts'
import type { AuthorizationRequest, Sender } from './authorization-request.ts'
import { type Client, hasRedirectUri, selectClient } from './client-store.ts'
import { CODE_MILLISECONDS } from './grant-store.ts'
import { handleText, hashSecret, newGrantId, newSecret } from './handles.ts'
import { verifyHint } from './id-token-hint.ts'
import { selectKeys } from './keys.ts'
import { OAuthError } from './oauth-error.ts'
import { mustProve, type Proof, readProof } from './proof.ts'
import { coversScopes } from './scopes.ts'

type AuthorizeDeps = ActorDeps & Pick<Deps, 'randomBytes' | 'keyRing'>

/**
 * What follows from a request of a user who is signed in. `confirm`: the user must prove again who
 * they are. `consent`: the user must allow it.
 */
export type Outcome =
  | { kind: 'code'; client: Client; code: string }
  | { kind: 'confirm' | 'consent'; client: Client; account: Acting }

/**
 * Finds the client of a request.
 *
 * @returns `undefined` for an unknown client, and for a redirect URI that it has not registered.
 */
export async function findSender(
  { db }: Pick<Deps, 'db'>,
  sender: Sender,
): Promise<Client | undefined> {
  return trusted(await selectClient(db, sender.clientId), sender)
}

function trusted([client]: Client[], { redirectUri }: Sender): Client | undefined {
  return client?.redirectUris.includes(redirectUri) ? client : undefined
}

/**
 * Gives out a code, in one round trip, when nothing has to be asked. An ID token as a hint costs
 * another.
 *
 * @param hasConsented The user has just answered the question for consent with yes.
 * @returns `undefined` for an unknown client, and for a redirect URI that it has not registered.
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
  const now = deps.now()
  const [id, secret] = [newGrantId(deps), newSecret(deps)]
  const by = isLive(db, actor, now)
  const proof = await readProof(deps, request, actor)
  const isOther = isOtherUser(request, await findExpectedUser(deps, issuer, request), actor.userId)
  const isProven = isProvenFor(request, proof, now)
  const isAsked = !hasConsented && request.prompts.includes('consent')
  const source = whereAllowed(actor, request, isOther ? sql`false` : isProven)
  const {
    account,
    client: found,
    consents,
    proven,
    granted,
    allowed,
  } = await actAs(deps, actor, {
    client: selectClient(db, request.clientId),
    consents: selectConsent(db, actor, request),
    proven: isProven && selectProven(db, actor, isProven),
    consented: hasConsented ? giveConsent(db, by, source, request, { actor, now }) : undefined,
    allowed: hasConsented ? insertConsentEvent(db, by, source, { actor, now }) : undefined,
    granted: isAsked
      ? undefined
      : insertGrant(db, by, source, request, {
          id,
          issuer,
          actor,
          codeHash: await hashSecret(secret),
          now,
          proof,
        }),
  })
  const client = trusted(found, request)
  if (client === undefined) return undefined
  if (granted !== undefined && granted.length > 0) {
    if (allowed !== undefined) logEvent(eventOf(actor, 'access_given', now, client.name))
    return { kind: 'code', client, code: handleText('code', { id, family: '', secret }) }
  }
  const isSilent = request.prompts.includes('none')
  refuse(account, client, request)
  if (isOther) throw new OAuthError('login_required', 'another user is signed in')
  if (proven?.length === 0) {
    if (isSilent) throw new OAuthError('login_required', 'the user must sign in again')
    return { kind: 'confirm', client, account }
  }
  if (isSilent && consents.length === 0)
    throw new OAuthError('consent_required', 'the user has not allowed this')
  return { kind: 'consent', client, account }
}

/** @throws {OAuthError} When the client or the user can't have this, whatever the user answers. */
function refuse(account: Acting, client: Client, request: AuthorizationRequest): void {
  if (client.secretHash === null && request.challenge === undefined)
    throw new OAuthError('invalid_request', 'a public client needs PKCE: code_challenge is missing')
  if (account.role === GUEST || (client.adminsOnly && account.role !== ADMIN))
    throw new OAuthError('access_denied', 'the user may not use this client')
}

/**
 * Finds the user of the ID token that a program shows.
 *
 * @returns `unverified` for a text that is no ID token of this program.
 */
async function findExpectedUser(
  { db, now }: Pick<Deps, 'db' | 'now'>,
  issuer: string,
  { idTokenHint: hint, clientId }: AuthorizationRequest,
): Promise<number | 'unverified' | undefined> {
  if (hint === undefined) return undefined
  const claims = await verifyHint(await selectKeys(db, now()), { issuer, clientId }, hint)
  return claims === undefined ? 'unverified' : Number(claims.sub)
}

/**
 * Tells whether a user is not the one whom a program expects. With a hint that is not genuine,
 * every user is another one, unless pages can ask: the answer must not tell who is signed in.
 *
 * @see https://openid.net/specs/openid-connect-core-1_0.html#AuthRequestValidation
 */
function isOtherUser(
  { prompts }: AuthorizationRequest,
  expected: Awaited<ReturnType<typeof findExpectedUser>>,
  userId: number,
): boolean {
  if (expected === 'unverified') return prompts.includes('none')
  return expected !== undefined && expected !== userId
}

/**
 * Holds for a row of `sessions` whose user has proved who they are as lately as the request
 * demands. Only the sign-in counts: what makes a session fresh later is one factor of perhaps two.
 *
 * @returns `undefined` when nothing is left to prove.
 */
function isProvenFor(
  { prompts, maxAgeSeconds }: AuthorizationRequest,
  proof: Proof | undefined,
  now: number,
): SQL | undefined {
  const isNewNeeded = mustProve(prompts)
  if (proof?.shown !== undefined || (!isNewNeeded && maxAgeSeconds === undefined)) return undefined
  const { createdAt } = sessions
  return or(
    sql`false`,
    // Sessions count whole seconds: one of the same second may be older than the request.
    proof && gt(createdAt, proof.at),
    isNewNeeded || maxAgeSeconds === undefined
      ? undefined
      : gt(createdAt, now - maxAgeSeconds * 1000),
  )
}

/** Selects the session of an actor, when its user has proved enough. */
function selectProven(db: Database, { userId, sessionId }: SessionActor, isProven: SQL) {
  return db
    .select({ id: sessions.id })
    .from(sessions)
    .where(and(isSession(userId, sessionId), isProven))
}

/** What a write of an authorization depends on, beside the session. */
type Source = ReturnType<typeof whereAllowed>

/**
 * Returns the rows of the session, the user and the client, when the client is trusted and the user
 * may use it.
 */
function whereAllowed(
  { userId, sessionId }: SessionActor,
  { clientId, redirectUri, challenge }: AuthorizationRequest,
  when: SQL | undefined,
) {
  const from = sql`${sessions} inner join ${users} on ${users.id} = ${sessions.userId} inner join ${openidClients} on ${openidClients.id} = ${clientId}`
  const where = and(
    eq(sessions.userId, userId),
    eq(sessions.id, sessionId),
    hasRedirectUri(redirectUri),
    challenge === undefined ? sql`${openidClients.secretHash} is not null` : undefined,
    ne(users.role, GUEST),
    or(eq(openidClients.adminsOnly, false), eq(users.role, ADMIN)),
    when,
  )
  return { from, where }
}

interface NewGrant {
  id: string
  issuer: string
  actor: SessionActor
  codeHash: string
  now: number
  proof: Proof | undefined
}

/** Writes a code, unless the user must be asked for consent first. */
function insertGrant(
  db: Database,
  by: Authority,
  { from, where }: Source,
  request: AuthorizationRequest,
  { id, issuer, actor, codeHash, now, proof }: NewGrant,
) {
  const { clientId, redirectUri, scopes, nonce, challenge } = request
  const { userId, sessionId } = actor
  // Nested, because Drizzle takes the names of tables off the columns of the outer level.
  const row = {
    id,
    issuer,
    clientId,
    userId,
    sessionId,
    scope: scopes.join(' '),
    redirectUri,
    nonce: nonce ?? null,
    challenge: challenge ?? null,
    // Every method of a session was shown at its sign-in or later.
    authTime: proof?.shown ? proof.at : sql`${sessions.createdAt}`,
    amr: proof?.shown ? proof.shown.amr : sql`${sessions.amr}`,
    codeHash,
    codeExpiresAt: now + CODE_MILLISECONDS,
    createdAt: now,
  }
  const hasConsent = sql`exists (select 1 from ${openidConsents} where ${isConsent(userId, request)})`
  const isAllowed = or(eq(openidClients.firstParty, true), hasConsent)
  return writing(db, by)
    .insert(openidGrants, row, { from, where: and(where, isAllowed) })
    .returning({ id: openidGrants.id })
}

function isConsent(userId: number, { clientId, scopes }: AuthorizationRequest): SQL | undefined {
  return and(
    eq(openidConsents.userId, userId),
    eq(openidConsents.clientId, clientId),
    coversScopes(openidConsents.scope, scopes),
  )
}

function selectConsent(db: Database, { userId }: SessionActor, request: AuthorizationRequest) {
  return db
    .select({ clientId: openidConsents.clientId })
    .from(openidConsents)
    .where(isConsent(userId, request))
}

interface Consent {
  actor: SessionActor
  now: number
}

/** Remembers that a user allows a client its scopes, in addition to those allowed before. */
function giveConsent(
  db: Database,
  by: Authority,
  source: Source,
  request: AuthorizationRequest,
  { actor: { userId }, now }: Consent,
) {
  const scope = request.scopes.join(' ')
  const row = { userId, clientId: request.clientId, scope, givenAt: now }
  const { scope: earlier } = openidConsents
  const merged = sql`iif(${coversScopes(earlier, request.scopes)}, ${earlier}, ${earlier} || ' ' || ${scope})`
  return writing(db, by)
    .insert(openidConsents, row, source)
    .onConflictDoUpdate({
      target: [openidConsents.userId, openidConsents.clientId],
      set: { scope: merged, givenAt: now },
    })
}

function insertConsentEvent(db: Database, by: Authority, source: Source, { actor, now }: Consent) {
  const event = eventRow(eventOf(actor, 'access_given', now))
  const row = { ...event, detail: sql`${openidClients.name}` }
  return writing(db, by).insert(auditEvents, row, source)
}

/**
 * Adds the answer to a redirect URI, whose bytes stay as the client has registered them.
 *
 * @see RFC 6749 section 4.1.2, RFC 9207 section 2
 */
export function answerUri(
  { redirectUri, state }: Sender,
  issuer: string,
  answer: { code: string } | OAuthError,
): string {
  const params = new URLSearchParams(
    answer instanceof OAuthError
      ? { error: answer.code, error_description: answer.message }
      : { code: answer.code },
  )
  if (state !== undefined) params.set('state', state)
  params.set('iss', issuer)
  return `${redirectUri}${redirectUri.includes('?') ? '&' : '?'}${params.toString()}`
}
