import { and, desc, eq, exists, gt, lte, ne, notExists, or, type SQL, sql } from 'drizzle-orm'
import {
  openidClients,
  openidConsents,
  openidGrants,
  openidLogouts,
  sessions,
  users,
} from '../../../schema/tables.ts'
import { type Authority, THE_SERVICE, writing } from '../../core/database/statements.ts'
import type { Database } from '../../core/database/database.ts'
import type { UserId } from '../../core/database/user-id.ts'
import { coversScopes, type Scope } from './scopes.ts'
import { isEnabled } from '../../core/accounts/conditions.ts'
import { GROUP_NAMES } from '../../core/accounts/groups.ts'
import { deleteGrants, isGrantOf } from '../../core/access/endings.ts'
import { whenEnough } from '../../core/access/sign-in-methods.ts'
import { DAY_MILLISECONDS, HOUR_MILLISECONDS } from '../../core/base/time.ts'

/** Lifetimes. A refresh token ends when it was not used for this long. */
export const CODE_MILLISECONDS = 60_000
export const ACCESS_MILLISECONDS = HOUR_MILLISECONDS
const REFRESH_MILLISECONDS = 30 * DAY_MILLISECONDS

/** The session in which a row of `openid_grants` began, while it is live. */
function liveSession(now: number): SQL {
  return sql`(select ${sessions.expiresAt} from ${sessions} where ${sessions.userId} = ${openidGrants.userId} and ${sessions.id} = ${openidGrants.sessionId} and ${sessions.expiresAt} > ${now})`
}

/** The methods that a row of `openid_grants` rests on: those of its code, and of its session since. */
const shownMethods = sql`(${openidGrants.amr} || ' ' || coalesce((select ${sessions.amr} from ${sessions} where ${sessions.userId} = ${openidGrants.userId} and ${sessions.id} = ${openidGrants.sessionId}), ''))`

/** Holds for a row of `users` and what a program has of the user, while it may be used. */
function mayServe(now: number): SQL | undefined {
  return and(isEnabled(now), whenEnough(undefined, shownMethods))
}

/** The condition `mayServe` of a row of `openid_grants` that stands alone. */
function mayBeUsed(now: number): SQL {
  return sql`exists (select 1 from ${users} where ${users.id} = ${openidGrants.userId} and ${mayServe(now)})`
}

/** The hashes of the tokens that an exchange gives out. */
export interface NewTokens {
  accessHash: string
  familyHash: string
  refreshHash: string
}

/** A code as the client shows it, and what it must have been given for. */
interface ShownCode {
  id: string
  clientId: string
  codeHash: string
  redirectUri: string
  /** PKCE, S256; null when the client showed no verifier. */
  challenge: string | null
}

/** Uses up a code. Returns no row when anything is not as it was when the code was given. */
export function useCode(
  db: Database,
  by: Authority,
  code: ShownCode,
  tokens: NewTokens,
  now: number,
) {
  const mayRefresh = coversScopes(openidGrants.scope, ['offline_access'])
  const set = {
    used: true,
    accessHash: tokens.accessHash,
    // Without a live session nothing is set.
    accessExpiresAt: sql`min(${now + ACCESS_MILLISECONDS}, ${liveSession(now)})`,
    familyHash: sql`iif(${mayRefresh}, ${tokens.familyHash}, null)`,
    refreshHash: sql`iif(${mayRefresh}, ${tokens.refreshHash}, null)`,
    refreshExpiresAt: now + REFRESH_MILLISECONDS,
  }
  const isGood = and(
    isCodeOf(code),
    eq(openidGrants.used, false),
    gt(openidGrants.codeExpiresAt, now),
    eq(openidGrants.redirectUri, code.redirectUri),
    sql`${openidGrants.challenge} is ${code.challenge}`,
    sql`${liveSession(now)} is not null`,
    mayBeUsed(now),
  )
  return writing(db, by).update(openidGrants, set, isGood).returning({ id: openidGrants.id })
}

/**
 * Ends what came of a code that is shown a second time. The statement stands after `useCode` of the
 * same request: the row with that request's own token stays.
 *
 * @see RFC 6749 section 4.1.2
 */
export function endReplayedCode(
  db: Database,
  by: Authority,
  code: ShownCode,
  { accessHash }: NewTokens,
) {
  const isReplay = and(
    isCodeOf(code),
    eq(openidGrants.used, true),
    sql`${openidGrants.accessHash} is not ${accessHash}`,
  )
  return deleteGrants(db, by, isReplay)
}

function isCodeOf({ id, clientId, codeHash }: ShownCode): SQL | undefined {
  return and(
    eq(openidGrants.id, id),
    eq(openidGrants.clientId, clientId),
    eq(openidGrants.codeHash, codeHash),
  )
}

/** A refresh token as the client shows it. */
interface ShownRefreshToken {
  id: string
  clientId: string
  familyHash: string
  refreshHash: string
  /** The scopes that the new access token is to have; empty for all that were granted. */
  scopes: readonly Scope[]
}

/** Replaces the tokens of a row. Returns no row unless the refresh token is the newest one. */
export function useRefreshToken(
  db: Database,
  by: Authority,
  token: ShownRefreshToken,
  { accessHash, refreshHash }: NewTokens,
  now: number,
) {
  const set = {
    accessHash,
    accessScope: token.scopes.length === 0 ? null : token.scopes.join(' '),
    accessExpiresAt: sql`min(${now + ACCESS_MILLISECONDS}, coalesce(${liveSession(now)}, ${now + ACCESS_MILLISECONDS}))`,
    refreshHash,
    refreshExpiresAt: now + REFRESH_MILLISECONDS,
    // The session has expired, but the nightly run has not deleted it.
    sessionId: sql`iif(${liveSession(now)} is null, '', ${openidGrants.sessionId})`,
  }
  const isGood = and(
    isNewest(token, now),
    coversScopes(openidGrants.scope, token.scopes),
    mayBeUsed(now),
  )
  return writing(db, by).update(openidGrants, set, isGood).returning({ id: openidGrants.id })
}

/** Selects the row of a refresh token that can be used, whatever scope is asked for. */
export function selectNewest(db: Database, token: ShownRefreshToken, now: number) {
  return db.select({ id: openidGrants.id }).from(openidGrants).where(isNewest(token, now))
}

function isNewest(token: ShownRefreshToken, now: number): SQL | undefined {
  return and(
    isFamilyOf(token),
    eq(openidGrants.refreshHash, token.refreshHash),
    gt(openidGrants.refreshExpiresAt, now),
  )
}

/**
 * Ends the row of a refresh token that was replaced before. The statement stands after
 * `useRefreshToken` of the same request.
 *
 * @see RFC 9700 section 4.14.2
 */
export function endReplayedRefreshToken(
  db: Database,
  by: Authority,
  token: ShownRefreshToken,
  { refreshHash }: NewTokens,
) {
  const isReplay = and(
    isFamilyOf(token),
    ne(openidGrants.refreshHash, token.refreshHash),
    ne(openidGrants.refreshHash, refreshHash),
  )
  return deleteGrants(db, by, isReplay)
}

/** The columns that all refresh tokens of one sign-in share. */
type Family = Pick<ShownRefreshToken, 'id' | 'clientId' | 'familyHash'>

/**
 * Ends the tokens of a sign-in at the wish of the program. The row stays for the logout of its
 * session, which goes on, and so may another sign-in of the program in it.
 *
 * @returns Parts of a batch.
 */
export function endFamily(db: Database, by: Authority, family: Family) {
  const which = isFamilyOf(family)
  const set = { accessHash: null, familyHash: null, refreshHash: null }
  return {
    deleted: deleteGrants(db, by, and(which, eq(openidGrants.sessionId, ''))),
    revoked: writing(db, by).update(openidGrants, set, which),
  }
}

/** Holds for the row of a refresh token, the newest one or one that was replaced. */
function isFamilyOf({ id, clientId, familyHash }: Family): SQL | undefined {
  return and(
    eq(openidGrants.id, id),
    eq(openidGrants.clientId, clientId),
    eq(openidGrants.familyHash, familyHash),
  )
}

/** An access token as it is shown. */
export interface ShownAccessToken {
  id: string
  accessHash: string
}

/** Selects what an access token in force tells about its user. */
export function selectByAccessToken(
  db: Database,
  { id, accessHash }: ShownAccessToken,
  now: number,
) {
  return db
    .select({
      userId: users.id,
      sub: users.sub,
      username: users.username,
      role: users.role,
      groupNames: GROUP_NAMES,
      createdAt: users.createdAt,
      renamedAt: users.renamedAt,
      verifiedEmail: sql<
        string | null
      >`iif(${users.emailVerified} = 1, nullif(${users.email}, ''), null)`.as('verified_email'),
      issuer: openidGrants.issuer,
      clientId: openidGrants.clientId,
      sessionId: openidGrants.sessionId,
      scope: sql<string>`coalesce(${openidGrants.accessScope}, ${openidGrants.scope})`.as(
        'access_scope',
      ),
      nonce: openidGrants.nonce,
      // 0 is stored where nobody knows when the user signed in.
      authTime: sql<number | null>`nullif(${openidGrants.authTime}, 0)`.as('auth_time'),
      amr: openidGrants.amr,
      // Two columns of one name would become one in D1's rows.
      grantedAt: sql<number>`${openidGrants.createdAt}`.as('granted_at'),
      expiresAt: openidGrants.accessExpiresAt,
      refreshHash: openidGrants.refreshHash,
    })
    .from(openidGrants)
    .innerJoin(users, eq(users.id, openidGrants.userId))
    .where(
      and(
        eq(openidGrants.id, id),
        eq(openidGrants.accessHash, accessHash),
        gt(openidGrants.accessExpiresAt, now),
        mayServe(now),
        or(eq(openidGrants.sessionId, ''), sql`${liveSession(now)} is not null`),
      ),
    )
}

/** A user at a client, and what the tokens tell about both. */
export type SignedInUser = ReturnType<typeof selectByAccessToken>['_']['result'][number]

/** Ends an access token. A row without a refresh token stays, for the logout of its session. */
export function endAccessToken(
  db: Database,
  by: Authority,
  { id, accessHash }: ShownAccessToken,
  clientId: string,
) {
  const which = and(
    eq(openidGrants.id, id),
    eq(openidGrants.clientId, clientId),
    eq(openidGrants.accessHash, accessHash),
  )
  return writing(db, by).update(openidGrants, { accessHash: null }, which)
}

/** Deletes codes that nobody used, and refresh tokens that have expired. */
export function pruneGrants(db: Database, now: number) {
  const { used, codeExpiresAt, sessionId, refreshExpiresAt } = openidGrants
  const which = or(
    and(eq(used, false), lte(codeExpiresAt, now)),
    and(eq(sessionId, ''), lte(refreshExpiresAt, now)),
  )
  return writing(db, THE_SERVICE).delete(openidGrants, which)
}

/** A browser with many windows waits for a few codes at once. */
const MAX_UNUSED_CODES = 20

/** Deletes the oldest codes of a session that nobody has used, when there are too many. */
export function deleteOldCodes(
  db: Database,
  by: Authority,
  { userId, sessionId }: { userId: UserId; sessionId: string },
  newId: string,
) {
  const newest = sql`select newest.id from ${openidGrants} as newest where newest.user_id = ${userId} and newest.session_id = ${sessionId} and newest.used = 0 and newest.id <> ${newId} order by newest.created_at desc limit ${MAX_UNUSED_CODES - 1}`
  const which = and(
    isGrantOf(userId),
    eq(openidGrants.sessionId, sessionId),
    sql`${openidGrants.used} = 0`,
    ne(openidGrants.id, newId),
    sql`${openidGrants.id} not in (${newest})`,
  )
  return writing(db, by).delete(openidGrants, which)
}

/**
 * Selects the clients that have access to a user's account, the latest used first. A code alone is
 * no access.
 */
export function selectAccessOf(db: Database, userId: UserId) {
  const { id, name } = openidClients
  const consent = and(eq(openidConsents.userId, userId), eq(openidConsents.clientId, id))
  const isUsed = eq(openidGrants.used, true)
  const isToken = and(eq(openidGrants.userId, userId), eq(openidGrants.clientId, id), isUsed)
  return db
    .select({
      id,
      name,
      redirectUris: openidClients.redirectUris,
      usedAt: sql<
        number | null
      >`(select max(${openidGrants.createdAt}) from ${openidGrants} where ${isToken})`.as(
        'used_at',
      ),
      /** `null` for a program that needs no consent. */
      givenAt: sql<
        number | null
      >`(select ${openidConsents.givenAt} from ${openidConsents} where ${consent})`.as('given_at'),
      /** What it was allowed, or else what its latest token has: one row, however many there are. */
      scope:
        sql<string>`coalesce((select ${openidConsents.scope} from ${openidConsents} where ${consent}), (select ${openidGrants.scope} from ${openidGrants} where ${isToken} order by ${openidGrants.createdAt} desc limit 1), '')`.as(
          'scope',
        ),
    })
    .from(openidClients)
    .where(hasAccess(db, userId, isUsed))
    .orderBy(desc(sql`used_at`), name)
}

/**
 * Holds for a client that has something of a user: a consent, a token or a code.
 *
 * @param when A further condition on tokens and codes.
 */
export function hasAccess(db: Database, userId: UserId, when?: SQL): SQL | undefined {
  const has = (table: typeof openidGrants | typeof openidConsents, which?: SQL) =>
    exists(
      db
        .select({ found: sql`1`.as('found') })
        .from(table)
        .where(and(eq(table.userId, userId), eq(table.clientId, openidClients.id), which)),
    )
  return or(has(openidGrants, when), has(openidConsents))
}

/** Holds for what a client has of a user. */
export function isGrantAt(userId: UserId, clientId: string): SQL | undefined {
  return and(isGrantOf(userId), eq(openidGrants.clientId, clientId))
}

export function deleteConsent(db: Database, by: Authority, userId: UserId, clientId: string) {
  const { userId: owner, clientId: client } = openidConsents
  return writing(db, by)
    .delete(openidConsents, and(eq(owner, userId), eq(client, clientId)))
    .returning({ clientId: client })
}

/** Deletes back-channel logouts that were tried often enough, or whose client is gone. */
export function pruneLogouts(db: Database, mostAttempts: number) {
  const client = db
    .select({ id: openidClients.id })
    .from(openidClients)
    .where(eq(openidClients.id, openidLogouts.clientId))
  const isOver = sql`${openidLogouts.attempts} >= ${mostAttempts}`
  return writing(db, THE_SERVICE).delete(openidLogouts, or(isOver, notExists(client)))
}
