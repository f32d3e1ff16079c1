import { and, eq, exists, gt, isNotNull, notExists, or, type SQL, sql } from 'drizzle-orm'
import {
  openidClients,
  openidConsents,
  openidGrants,
  sessions,
  usedChallenges,
  users,
} from '../../../schema/tables.ts'
import type { SessionActor } from '../../core/access/actor.ts'
import type { FreshnessDeps } from '../../core/access/is-fresh.ts'
import { whenFresh } from '../../core/access/freshness.ts'
import { PROVIDER_TOLERANCE_SECONDS } from '../../core/access/sign-in-methods.ts'
import { isSession } from '../../core/access/session-store.ts'
import { isOnThisComputer } from '../../core/base/issuer.ts'
import { eventOf, insertEvents } from '../../core/audit/events.ts'
import { type Authority, writing } from '../../core/database/statements.ts'
import type { Database, Deps } from '../../core/deps.ts'
import type { AuthorizationRequest } from './authorization-request.ts'
import { hasRedirectUri } from './client-store.ts'
import { CODE_MILLISECONDS } from './grant-store.ts'
import { demandsNewProof, demandsRecentProof, type Proof, PROOF_SECONDS } from './proof.ts'
import { coversScopes } from './scopes.ts'
import { isAdmin, isNotGuest } from '../../core/accounts/conditions.ts'

/**
 * Holds for a row of `sessions` whose user has proved enough for a request. Refresh tokens outlive
 * a session, so they need a fresh one (`access/freshness.ts`).
 *
 * @returns `undefined` when nothing is left to prove.
 */
export function isProvenFor(
  deps: Pick<Deps, 'db'> & FreshnessDeps,
  request: AuthorizationRequest,
  proof: Proof | undefined,
  { now, hasConsented }: { now: number; hasConsented: boolean },
): SQL | undefined {
  const isFresh = asksForRefresh(request) ? whenFresh(deps, now) : undefined
  if (!demandsRecentProof(request)) return isFresh
  // The user has read the question meanwhile.
  const maxAge = hasConsented ? undefined : maxAgeOfProof(request)
  const byProof =
    proof && and(notExists(selectProofUse(deps.db, proof)), isProof(proof, maxAge, now))
  const byAge =
    demandsNewProof(request) || request.maxAgeSeconds === undefined
      ? undefined
      : gt(sessions.signedInAt, now - request.maxAgeSeconds * 1000)
  return and(or(sql`false`, byProof, byAge), isFresh)
}

/** The time that the way from a proof to the code takes. */
const PROOF_TOLERANCE_SECONDS = 30

function maxAgeOfProof({ maxAgeSeconds }: AuthorizationRequest): number | undefined {
  if (maxAgeSeconds === undefined) return undefined
  return Math.max(maxAgeSeconds, PROOF_TOLERANCE_SECONDS)
}

/** Tells whether a request asks for refresh tokens. */
export function asksForRefresh({ scopes }: Pick<AuthorizationRequest, 'scopes'>): boolean {
  return scopes.includes('offline_access')
}

/**
 * Holds for a row of `sessions` whose user has proved who they are since the request. Only the
 * sign-in counts: a later confirmation may be one factor of two. After a sign-in with an identity
 * provider, the time counts at which it asked its user, because a provider with a live session asks
 * nothing; without that time, nothing counts.
 */
function isProof({ at, shown }: Proof, maxAgeSeconds: number | undefined, now: number) {
  const latest = maxAgeSeconds === undefined ? 0 : now - maxAgeSeconds * 1000
  if (shown !== undefined) return at > latest ? undefined : sql`false`
  const { createdAt, signedInAt } = sessions
  const since = Math.max(at - PROVIDER_TOLERANCE_SECONDS * 1000, latest)
  // Sessions count whole seconds: one of the same second may be older than the request.
  return and(gt(createdAt, at), gt(signedInAt, since))
}

function selectProofUse(db: Database, { id }: Proof) {
  const { usedBy, hash } = usedChallenges
  return db.select({ usedBy }).from(usedChallenges).where(eq(hash, id))
}

/** Uses a proof up with the code that it gave. The statement stands after `insertGrant`. */
export function useProof(db: Database, by: Authority, proof: Proof, grantId: string, now: number) {
  const row = { hash: proof.id, usedBy: grantId, expiresAt: now + PROOF_SECONDS * 1000 }
  const { id } = openidGrants
  const given = exists(db.select({ id }).from(openidGrants).where(eq(id, grantId)))
  return writing(db, by).insert(usedChallenges, row, { where: given })
}

/** Selects the session of an actor, when its user has proved enough. */
export function selectProven(db: Database, { userId, sessionId }: SessionActor, isProven: SQL) {
  return db
    .select({ id: sessions.id })
    .from(sessions)
    .where(and(isSession(userId, sessionId), isProven))
}

/** The rows on which a write of an authorization depends, beside the session. */
type Source = ReturnType<typeof whereAllowed>

/**
 * Returns the rows of the session, the user and the client, when the client is trusted and the user
 * may use it.
 */
export function whereAllowed(
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
    isNotGuest,
    or(eq(openidClients.adminsOnly, false), isAdmin),
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
  /** The user has just answered the question for consent with yes. */
  hasConsented: boolean
}

/** Writes a code, unless the user must be asked for consent first. */
export function insertGrant(
  db: Database,
  by: Authority,
  { from, where }: Source,
  request: AuthorizationRequest,
  { id, issuer, actor, codeHash, now, proof, hasConsented }: NewGrant,
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
    authTime: proof?.shown ? proof.at : sql`coalesce(${sessions.signedInAt}, 0)`,
    amr: proof?.shown ? proof.shown.amr : sql`${sessions.amr}`,
    begunWith: sql`${sessions.begunWith}`,
    codeHash,
    codeExpiresAt: now + CODE_MILLISECONDS,
    createdAt: now,
  }
  const hasConsent = sql`exists (select 1 from ${openidConsents} where ${isConsent(userId, request)})`
  const isAllowed = or(eq(openidClients.firstParty, true), hasConsent)
  return writing(db, by)
    .insert(openidGrants, row, {
      from,
      where: and(where, isAllowed, hasConsented ? undefined : isKnownProgram(request)),
    })
    .returning({ id: openidGrants.id })
}

/**
 * Holds for a row of `openid_clients` whose program is surely the one that was registered. Without
 * a secret and on the user's computer, any program can ask in its name, so the user is asked each
 * time.
 *
 * @see RFC 8252 section 8.6
 */
function isKnownProgram({ redirectUri }: AuthorizationRequest): SQL | undefined {
  return isOnThisComputer(new URL(redirectUri)) ? isNotNull(openidClients.secretHash) : undefined
}

function isConsent(userId: number, { clientId, scopes }: AuthorizationRequest): SQL | undefined {
  return and(
    eq(openidConsents.userId, userId),
    eq(openidConsents.clientId, clientId),
    coversScopes(openidConsents.scope, scopes),
  )
}

interface Consent {
  actor: SessionActor
  now: number
}

/** Remembers that a user allows a client its scopes, in addition to those allowed before. */
export function giveConsent(
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

export function insertConsentEvent(
  db: Database,
  by: Authority,
  source: Source,
  { actor, now }: Consent,
) {
  const event = eventOf(actor, 'access_given', now)
  return insertEvents(db, by, event, { detail: sql`${openidClients.name}` }, source)
}

/**
 * Writes that a program may get refresh tokens. The statement stands after `insertGrant`, and
 * writes nothing when that did not.
 */
export function insertRefreshEvent(
  db: Database,
  by: Authority,
  grantId: string,
  { actor, now }: Consent,
) {
  const event = eventOf(actor, 'offline_access_given', now)
  const detail = sql`${openidClients.name}`
  const from = sql`${openidGrants} inner join ${openidClients} on ${openidClients.id} = ${openidGrants.clientId}`
  return insertEvents(db, by, event, { detail }, { from, where: eq(openidGrants.id, grantId) })
}
